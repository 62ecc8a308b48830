import { createHmac, timingSafeEqual } from 'node:crypto'
import { type ImageType, imageTypes } from '@markbook/shared/contract/avatars'
import { FileTable } from '@markbook/sync/protocol/files'
import { z } from 'zod'

/**
 * The right to upload one picture: `id` names the upload, `user` whom it was issued to, `path` where the picture goes, `size` how many
 * bytes it has, `until` (ms since 1970) how long the right lasts. Signed, and kept nowhere.
 */
const Ticket = z.strictObject({
  id: z.string(),
  user: z.string(),
  path: z.string(),
  type: z.enum(imageTypes),
  size: z.int(),
  until: z.int(),
})
export type Ticket = z.infer<typeof Ticket> & { type: ImageType }

/**
 * The right of another node to take the file that a row names, or to give it (decision 294): `id` names the upload, `peer` whom it was
 * issued to, `sha256` and `size` the content, `until` as above.
 */
const NodeTicket = z.strictObject({
  id: z.string(),
  peer: z.string(),
  table: FileTable,
  row: z.string(),
  give: z.boolean(),
  sha256: z.string(),
  size: z.int(),
  until: z.int(),
})
export type NodeTicket = z.infer<typeof NodeTicket>
export const isOfNode = (ticket: Ticket | NodeTicket): ticket is NodeTicket => 'peer' in ticket

const AnyTicket = z.union([Ticket, NodeTicket])

const sign = (text: string, key: Buffer) => createHmac('sha256', key).update(text).digest()

export function ticketToken(ticket: Ticket | NodeTicket, key: Buffer): string {
  const text = Buffer.from(JSON.stringify(ticket)).toString('base64url')
  return `${text}.${sign(text, key).toString('base64url')}`
}

/** The ticket of a person's token that this server signed and whose time is not over; null for anything else. */
export function readTicket(token: string, key: Buffer, now: number): Ticket | null {
  const ticket = readAnyTicket(token, key, now)
  return ticket && !isOfNode(ticket) ? ticket : null
}

/** The ticket of a person or of another node. */
export function readAnyTicket(token: string, key: Buffer, now: number): Ticket | NodeTicket | null {
  const [text, signature, ...rest] = token.split('.')
  if (!text || !signature || rest.length > 0) return null
  const given = Buffer.from(signature, 'base64url')
  const expected = sign(text, key)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  const ticket = AnyTicket.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
  return ticket.until > now ? ticket : null
}
