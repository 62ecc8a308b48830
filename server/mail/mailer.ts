import { limits } from '@markbook/shared/limits'

/** Mail to people who are known here leaves before any mail to strangers (docs/design/sign-in.md). */
export type MailLane = 'members' | 'strangers'

/** A mail in plain text. `expiresAt` is in milliseconds since 1970: after it the mail is dropped. */
export type MailMessage = { to: string; lane: MailLane; subject: string; text: string; expiresAt: number }

/**
 * The last failure, null once a mail has left again. `connection`: no mail can leave (server away, sign-in refused, queue of members full).
 * `message`: the server took the connection and refused or put off this one mail. `reason` holds codes only, never the server's words,
 * which may quote the mail.
 */
export type MailFailure = { kind: 'connection' | 'message'; reason: string }

export type MailState = { kind: 'smtp' | 'console'; lastFailure: MailFailure | null; queued: number }

/**
 * Sends mail. `send` queues and returns at once; it throws only for an address or subject that could break out of its header.
 * `close` waits for what is being sent and drops the rest.
 */
export type Mailer = { send(message: MailMessage): void; state(): MailState; close(): Promise<void> }

const ADDRESS = /^[^\s<>()[\]\\,;:"@\p{Cc}]+@[^\s<>()[\]\\,;:"@\p{Cc}]+$/u

/** One bare address and one line of subject, so that neither can add a header or a recipient. */
export function assertSendable({ to, subject }: Pick<MailMessage, 'to' | 'subject'>): void {
  if (to.length > limits.text.email || !ADDRESS.test(to)) throw new TypeError('The address of a mail must be one plain address')
  if (/\p{Cc}/u.test(subject)) throw new TypeError('The subject of a mail must be one line')
}
