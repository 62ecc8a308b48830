import type { Clock } from '@markbook/shared/clock'
import { limits } from '@markbook/shared/limits'
import { createTransport, type NodemailerError } from 'nodemailer'
import type { Logger } from 'pino'
import { hostOf, isLoopback } from '../network/addresses.ts'
import { assertSendable, type Mailer, type MailFailure, type MailMessage } from './mailer.ts'
import { mailQueue } from './queue.ts'

export type SmtpOptions = {
  /** SMTP_URL, such as smtps://user:password@mail.school.example. */
  url: string
  /** MAIL_FROM, an address with or without a name before it. */
  from: string
  clock: Clock
  log: Pick<Logger, 'info' | 'warn'>
  /** Milliseconds to wait after the given number of tries. */
  backoff?: (tries: number) => number
}

/** 2, 6, 18, 54 and 162 seconds: the six tries of a code lie within the ten minutes that it lives. */
const exponential = (tries: number) => 2_000 * 3 ** (tries - 1)

const HOUR = 3_600_000
const TIMES = { connectionTimeout: 10_000, greetingTimeout: 10_000, dnsTimeout: 10_000, socketTimeout: 30_000, socketCloseTimeout: 1_000 }

/**
 * Where mail goes, for nodemailer. A code that crosses a network does so over TLS alone: smtps:// begins with it, smtp:// turns to it and
 * sends nothing where the server does not. Mail to a server on this machine needs none, and `?ignoreTLS=true` does without on purpose.
 */
export const transportOptions = (url: string) => ({
  url,
  requireTLS: !isLoopback(hostOf(url)) && new URL(url).searchParams.get('ignoreTLS') !== 'true',
  disableFileAccess: true,
  disableUrlAccess: true,
})

function toFailure(error: NodemailerError): MailFailure {
  const isAboutMessage = error.responseCode !== undefined && (error.code === 'EENVELOPE' || error.code === 'EMESSAGE')
  const reason = [error.originalCode ?? error.code ?? 'UNKNOWN', error.responseCode].filter((part) => part !== undefined).join(' ')
  return { kind: isAboutMessage ? 'message' : 'connection', reason }
}

/**
 * Sends mail over SMTP from a bounded queue (limits.mail). A mail that could not leave is tried again, at most limits.mail.attempts
 * times in all and never after it has expired; one that the server refused for good is not tried again.
 */
export function smtpMailer({ url, from, clock, log, backoff = exponential }: SmtpOptions): Mailer {
  if (/\p{Cc}/u.test(from)) throw new TypeError('MAIL_FROM must be one line')
  const transport = createTransport({ ...TIMES, ...transportOptions(url) }, { from })
  let lastFailure: MailFailure | null = null
  let isClosed = false
  /** When the log last said that strangers' mail was dropped. */
  let lastSaid = Number.NEGATIVE_INFINITY

  const fail = (failure: MailFailure, outcome: string, tries: number) => {
    lastFailure = failure
    log.warn({ kind: failure.kind, reason: failure.reason, tries }, outcome)
  }

  const deliver = async ({ to, subject, text }: MailMessage, tries: number): Promise<boolean> => {
    const date = new Date(clock.now())
    try {
      await transport.sendMail({ to: { name: '', address: to }, subject, text, date, headers: { 'Auto-Submitted': 'auto-generated' } })
      lastFailure = null
      return true
    } catch (error) {
      const isLast = (error as NodemailerError).permanent === true || tries >= limits.mail.attempts || isClosed
      fail(toFailure(error as NodemailerError), isLast ? 'a mail was dropped' : 'a mail will be tried again', tries)
      return isLast
    }
  }

  /** Their mail alone is dropped, so it is no outage; one line an hour, however many there are. */
  const dropStrangers = () => {
    if (clock.now() < lastSaid + HOUR) return
    lastSaid = clock.now()
    log.warn({ perHour: limits.mail.strangers.perHour }, 'mails to addresses that are not known here are dropped: there are too many')
  }

  const onExpired = (tries: number) => log.info({ tries }, 'a mail was dropped because it had expired')
  const queue = mailQueue({ clock, deliver, backoff, onExpired })

  return {
    send(message) {
      assertSendable(message)
      if (isClosed || queue.add(message)) return
      if (message.lane === 'strangers') dropStrangers()
      else fail({ kind: 'connection', reason: 'QUEUE_FULL' }, 'a mail was dropped', 0)
    },
    state: () => ({ kind: 'smtp', lastFailure, queued: queue.size() }),
    async close() {
      isClosed = true
      const dropped = await queue.close()
      if (dropped > 0) log.warn({ dropped }, 'mails that had not left were dropped')
      transport.close()
    },
  }
}
