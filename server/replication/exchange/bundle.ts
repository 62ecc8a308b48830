import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'
import { Page, Push, RowAnswer } from '@markbook/sync/protocol/messages'
import { z } from 'zod'
import { orNull } from '../../or-null.ts'
import { decrypt, encrypt } from '../../store/encryption.ts'
import type { Peer } from '../../store/peer-row.ts'
import { BundledFile, FileRowRef, type Packed } from '../files/by-hand.ts'
import { isSignedBy, type NodeKeys, signatureOf } from '../identity/keys.ts'

/**
 * Pages on a stick (SPEC, «By hand»). The first line, which anybody may read, says between which nodes the bundle goes. The second is the
 * signature of the node that wrote it. The third is sealed for the two of them, for a stick is lost sooner than a line is tapped. Then come
 * the files, a line each, sealed too; the signed part says which they are, with their hashes.
 * - `up`, from a child. `cursor`: how far it had read its parent's feed; `head`: of its own history at the first page's `from`; `wants`:
 *   rows whose files it lacks.
 * - `down`, the receipt to carry back: the answers to each page, then the parent's news since `cursor`. `taken`: files that the parent has
 *   now.
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

export const Up = z.object({
  pages: z.array(z.object({ push: Push, people: z.int() })),
  files: z.array(BundledFile).default([]),
  wants: z.array(FileRowRef).default([]),
})
export const Down = z.object({
  answers: z.array(z.object({ to: z.int(), people: z.int(), answers: z.array(RowAnswer) })),
  pages: z.array(Page),
  files: z.array(BundledFile).default([]),
  taken: z.array(BundledFile).default([]),
})
export type Up = z.infer<typeof Up>
export type Down = z.infer<typeof Down>
/**
 * Rises when the program before can no longer read a bundle (bundle.test.ts). 2: history is signed, and rows and history go by column. 3:
 * as in protocol 4, a column that was added to a known unit is kept.
 */
export const FORMAT = 3

export const headOf = (head: Omit<Head, 'markbook' | 'protocol' | 'schema'>): Head => ({
  markbook: 'parcel',
  protocol: FORMAT,
  schema: SCHEMA_VERSION,
  ...head,
})

const MOST = 1_073_741_824

type Keys = { keys: Pick<NodeKeys, 'signing'>; shared: Buffer }
type Content = Omit<Up, 'files'> | Omit<Down, 'files'>
export function wrap(head: Head, content: Content, packed: readonly Packed[], { keys, shared }: Keys): Buffer {
  const first = JSON.stringify(head)
  const files = packed.map(({ bytes: _, ...file }) => file)
  const sealed = encrypt(gzipSync(JSON.stringify({ ...content, files })), shared, head.peer)
  const lines = packed.map(({ bytes, sha256 }) => Buffer.from(`${encrypt(bytes, shared, ownerOf(head, sha256))}\n`))
  return Buffer.concat([Buffer.from(`${first}\n${signatureOf(signedOf(first, sealed), keys)}\n${sealed}\n`), ...lines])
}

const ownerOf = ({ peer }: Pick<Head, 'peer'>, sha256: string) => `${peer} ${sha256}`

/** The files of a bundle, one after the other, up to one that was damaged on its way: the rest comes another time. */
export function* filesIn(bytes: Buffer, from: Pick<Peer, 'id'>, files: readonly BundledFile[], shared: Buffer): Generator<Packed> {
  const lines = linesOf(bytes).slice(BEFORE_FILES)
  for (const [at, file] of files.entries()) {
    const content = decrypt(lines[at]?.toString('latin1') ?? '', shared, ownerOf({ peer: from.id }, file.sha256))
    if (content?.length !== file.size) return
    yield { ...file, bytes: content }
  }
}

/** The head, the signature and the content. */
const BEFORE_FILES = 3

/** The lines, as views of the bytes; the last may have no end. */
function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\n', at)
    lines.push(bytes.subarray(at, end < 0 ? bytes.length : end))
    at = end < 0 ? bytes.length : end + 1
  }
  return lines
}

const signedOf = (first: string, sealed: string) => ({
  method: 'PARCEL',
  path: createHash('sha256').update(first).digest('hex'),
  body: Buffer.from(sealed),
  nonce: '',
  number: 0,
})

/** The head of a bundle; throws where the file is none, or of a newer program. */
export function readHead(bytes: Buffer): Head {
  const first = bytes.subarray(0, Math.max(0, bytes.indexOf('\n'))).toString('utf8')
  const known = Head.safeParse(orNull(() => JSON.parse(first)))
  if (!known.success) throw new Error('This file is no bundle of Markbook.')
  if (known.data.protocol !== FORMAT)
    throw new Error(
      'This bundle was made by another version of Markbook. Install the same one on both machines; nothing is lost meanwhile.',
    )
  return known.data
}

/** The content of a bundle. Throws where the peer did not write it, where it was damaged, and where it is not for this node. */
export function unwrap<S extends typeof Up | typeof Down>(
  bytes: Buffer,
  from: Pick<Peer, 'id' | 'public_key'>,
  shared: Buffer,
  form: S,
): z.output<S> {
  const lines = linesOf(bytes)
  const [first = '', signature = '', sealed = ''] = lines.slice(0, BEFORE_FILES).map((line) => line.toString('utf8'))
  if (!isSignedBy(signedOf(first, sealed), signature, from.public_key))
    throw new Error('This bundle was changed on its way, or was not written by the server that it names.')
  const content = decrypt(sealed, shared, from.id)
  if (!content) throw new Error('This bundle was not sealed for this server.')
  const bundle = form.parse(JSON.parse(gunzipSync(content, { maxOutputLength: MOST }).toString('utf8'))) as z.output<S>
  if (lines.length > BEFORE_FILES + bundle.files.length) throw new Error('Something was added to this bundle behind its end.')
  return bundle
}
