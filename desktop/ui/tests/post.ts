import { vi } from 'vitest'
import { issueConsoleCode } from '../../../server/features/auth/issued-codes.ts'
import type { MailMessage, MailState } from '../../../server/mail/mailer.ts'
import type { Site } from './site.ts'

/** The mails of a site, which are not sent. `codeFor` waits for a mail, since pages do not wait for one. */
export type Post = { outbox: MailMessage[]; codeFor(email: string): Promise<string> }

const ON_ITS_WAY = { timeout: 20_000, interval: 20 }

function codeIn(outbox: MailMessage[], email: string): string {
  const mail = outbox.findLast(({ to }) => to === email)
  const code = /^\d{8}$/m.exec(mail?.text ?? '')?.[0]
  if (!code) throw new Error(`no code was sent to ${email}`)
  return code
}

/** Catches all mails from now on. `state`: what the sign-in page is told about the mail server. */
export function catchPost(site: Site, state: Partial<MailState> = {}): Post {
  const outbox: MailMessage[] = []
  site.running().node.services.mailer = {
    send: (mail) => void outbox.push(mail),
    state: () => ({ kind: 'smtp', lastFailure: null, queued: 0, ...state }),
    close: async () => {},
  }
  return {
    outbox,
    codeFor: (email) => vi.waitFor(() => codeIn(outbox, email), ON_ITS_WAY),
  }
}

/** The state of a mail server that cannot be reached. */
export const noMailLeaves: Partial<MailState> = { lastFailure: { kind: 'connection', reason: 'ECONNREFUSED' } }

/** A console code as from `markbook code`; the limits of mails do not apply to it. */
export async function consoleCode(site: Site, email: string): Promise<string> {
  const { store, keys } = site.running().node.services
  return (await issueConsoleCode(store, email, keys)).code
}
