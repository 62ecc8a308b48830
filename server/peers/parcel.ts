import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { type Row, SCHEMA_VERSION } from '@markbook/shared/tables/tables'
import { OLDEST_PROTOCOL, Page, PROTOCOL, Push, RowAnswer } from '@markbook/sync/protocol/messages'
import { z } from 'zod'
import { seal, unseal } from '../features/outage/seal.ts'
import { isSignedBy, type NodeKeys, signatureOf } from './keys.ts'

/**
 * Pages on a stick (SPEC, «By hand»). A first line that anybody may read says between which nodes it goes; a second is the signature of
 * the node that wrote it; the rest is sealed for the two of them, for a stick is lost sooner than a line is tapped.
 * - `up`, from a child: `cursor` how far it had read its parent's feed, `head` that of its own history at the first page's `from`.
 * - `down`, the receipt to carry back: what became of each page, then the parent's news since `cursor`.
 */
const Head = z.object({
  markbook: z.literal('parcel'),
  protocol: z.int(),
  schema: z.int(),
  direction: z.enum(['up', 'down']),
  peer: z.uuid(),
  node: z.uuid(),
  school: z.uuid(),
  made_at: z.string(),
  cursor: z.string().max(300).nullable(),
  scope: z.string().max(100).nullable(),
  head: z.string().max(64).nullable(),
})
export type Head = z.infer<typeof Head>

const Up = z.object({ pages: z.array(z.object({ push: Push, people: z.int() })) })
const Down = z.object({
  answers: z.array(z.object({ to: z.int(), people: z.int(), answers: z.array(RowAnswer) })),
  pages: z.array(Page),
})
export type Up = z.infer<typeof Up>
export type Down = z.infer<typeof Down>

export const headOf = (head: Omit<Head, 'markbook' | 'protocol' | 'schema'>): Head => ({
  markbook: 'parcel',
  protocol: PROTOCOL,
  schema: SCHEMA_VERSION,
  ...head,
})

const MOST = 1_073_741_824

export function wrap(head: Head, content: Up | Down, keys: Pick<NodeKeys, 'signing'>, shared: Buffer): Buffer {
  const first = JSON.stringify(head)
  const sealed = seal(gzipSync(JSON.stringify(content)), shared, head.peer)
  return Buffer.from(`${first}\n${signatureOf(signedOf(first, sealed), keys)}\n${sealed}\n`)
}

const signedOf = (first: string, sealed: string) => ({
  method: 'PARCEL',
  path: createHash('sha256').update(first).digest('hex'),
  body: Buffer.from(sealed),
  nonce: '',
  number: 0,
})

/** The head of a parcel; throws where the file is none, or of a newer program. */
export function readHead(bytes: Buffer): Head {
  const known = Head.safeParse(parsed(bytes.subarray(0, Math.max(0, bytes.indexOf('\n'))).toString('utf8')))
  if (!known.success) throw new Error('This file is no parcel of Markbook.')
  if (known.data.protocol > PROTOCOL || known.data.protocol < OLDEST_PROTOCOL)
    throw new Error(
      'This parcel was made by another version of Markbook. Install the same one on both machines; nothing is lost meanwhile.',
    )
  return known.data
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** What is in it; throws where it was not written by the peer, was damaged, or is not for this node. */
export function unwrap(bytes: Buffer, from: Pick<Row<'sync_peer'>, 'id' | 'public_key'>, shared: Buffer, direction: 'up'): Up
export function unwrap(bytes: Buffer, from: Pick<Row<'sync_peer'>, 'id' | 'public_key'>, shared: Buffer, direction: 'down'): Down
export function unwrap(
  bytes: Buffer,
  from: Pick<Row<'sync_peer'>, 'id' | 'public_key'>,
  shared: Buffer,
  direction: 'up' | 'down',
): Up | Down {
  const [first = '', signature = '', sealed = ''] = bytes.toString('utf8').split('\n')
  if (!isSignedBy(signedOf(first, sealed), signature, from.public_key))
    throw new Error('This parcel was changed on its way, or was not written by the server that it names.')
  const content = unseal(sealed, shared, from.id)
  if (!content) throw new Error('This parcel was not sealed for this server.')
  const value: unknown = JSON.parse(gunzipSync(content, { maxOutputLength: MOST }).toString('utf8'))
  return direction === 'up' ? Up.parse(value) : Down.parse(value)
}
