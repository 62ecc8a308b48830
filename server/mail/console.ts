import type { Clock } from '@markbook/shared/clock'
import { assertSendable, type Mailer, type MailMessage } from './mailer.ts'

export type ConsoleOptions = { clock: Clock; print?: (text: string) => void }

function toBox({ to, subject, text }: MailMessage): string {
  const lines = [`To: ${to}`, `Subject: ${subject}`, '', ...text.trimEnd().split('\n')]
  const width = Math.max(...lines.map((line) => line.length))
  const rule = '─'.repeat(width + 2)
  return [`┌${rule}┐`, ...lines.map((line) => `│ ${line.padEnd(width)} │`), `└${rule}┘`, ''].join('\n')
}

/** Prints mails, codes included, on the operator's console, where no SMTP server is configured. */
export function consoleMailer({ clock, print = (text) => void process.stdout.write(text) }: ConsoleOptions): Mailer {
  return {
    send(message) {
      assertSendable(message)
      if (message.expiresAt > clock.now()) print(toBox(message))
    },
    state: () => ({ kind: 'console', lastFailure: null, queued: 0 }),
    close: async () => {},
  }
}
