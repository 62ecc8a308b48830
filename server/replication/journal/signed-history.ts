import { createHash } from 'node:crypto'
import type { Row, Tables } from '@markbook/shared/tables/tables'
import type { HistoryEntry } from '@markbook/sync/protocol/entries'
import { getTableColumns, sql } from 'drizzle-orm'
import { incarnations } from '../../store/node.ts'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'
import { isTextSignedBy, type NodeKeys, nodeKeys, signText } from '../identity/keys.ts'

/**
 * The signature of a node over one transaction of its history, and the digests of the entries that are withheld: whoever may not read these
 * can still verify the others (sync/SPEC.md, «History»).
 */
type Proof = { signature: string; withheld: readonly string[] }
const proofToText = ({ signature, withheld }: Proof): string => JSON.stringify([signature, ...withheld])

function textToProof(text: string): Proof | null {
  try {
    const parsed: unknown = JSON.parse(text)
    if (!Array.isArray(parsed) || !parsed.every((each) => typeof each === 'string')) return null
    const [signature, ...withheld] = parsed as string[]
    return signature === undefined ? null : { signature, withheld }
  } catch {
    return null
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url')

export function digestOfEntry(entry: HistoryEntry): string {
  const { id, at, actor_id, node_id, node_seq, entity, row_id, near_id, action, changes, detail } = entry
  return sha256(JSON.stringify([id, at, actor_id, node_id, node_seq, entity, row_id, near_id, action, changes, detail]))
}

/** The signed text of a transaction. The digests are sorted, since entries have no order. */
export const historyText = (school: string, { node_id, node_seq, head }: HistoryEntry, digests: readonly string[]): string =>
  ['markbook-history-1', school, node_id, node_seq, head, sha256([...digests].sort().join(''))].join('\n')

/** The entries of one transaction: those that are told, and those that are withheld. */
type Part = { told: readonly HistoryEntry[]; withheld: readonly HistoryEntry[] }

/**
 * The entries with a proof on one of each transaction. `all`: every entry of these transactions; those that are not among `entries` are
 * withheld. Entries keep the proof that came with them: a copy of the database that wrote them may hold only a part of the transaction, and
 * would sign that alone (world 21852). What this database wrote has none, and is signed now, with the keys of the number under which it was
 * written.
 */
export async function proved(
  tx: ReadTx,
  school: string,
  secret: string,
  entries: readonly HistoryEntry[],
  all: readonly HistoryEntry[],
): Promise<HistoryEntry[]> {
  if (entries.length === 0) return []
  const own = new Set(await incarnations(tx))
  const told = new Set(entries.map(({ id }) => id))
  const parts = partsOf(all, ({ id }) => told.has(id))
  const proofOf = (part: Part, node: string) =>
    storedProofOf(part) ?? (own.has(node) ? signedBy(nodeKeys(secret, node), school, part) : null)
  return withProofs(entries, parts, proofOf)
}

/** An entry as it is stored here. `seq`: in this node's feed; `source_id`: the node from which it came, null where this node wrote it. */
export type StoredEntry = HistoryEntry & Pick<Row<'history'>, 'school_id' | 'seq' | 'source_id'>

/** The columns of a stored entry. `changes` is read as the stored text. */
export const entryColumns = (history: Tables['history']) => ({ ...getTableColumns(history), changes: sql<string>`${history.changes}` })

/** The key of a transaction. A database and its copy may both have used a number and counter, for transactions with different heads. */
export const transactionOf = ({ node_id, node_seq, head }: OfTransaction): string => `${node_id} ${node_seq} ${head}`
type OfTransaction = Pick<HistoryEntry, 'node_id' | 'node_seq' | 'head'>

/** The key of the entries of a transaction that came here together: they have a signature of their own. */
export const partOf = (entry: OfTransaction & { seq: number }): string => `${entry.seq} ${transactionOf(entry)}`

function partsOf(entries: readonly HistoryEntry[], isTold: (entry: HistoryEntry) => boolean): Part[] {
  const parts = new Map<string, { told: HistoryEntry[]; withheld: HistoryEntry[] }>()
  for (const entry of entries) {
    const part = parts.get(transactionOf(entry)) ?? { told: [], withheld: [] }
    parts.set(transactionOf(entry), part)
    part[isTold(entry) ? 'told' : 'withheld'].push(entry)
  }
  return [...parts.values()]
}

function withProofs(
  entries: readonly HistoryEntry[],
  parts: readonly Part[],
  proofOf: (part: Part, node: string) => string | null,
): HistoryEntry[] {
  const proofs = new Map(parts.flatMap((part) => part.told.slice(0, 1).map(({ id, node_id }) => [id, proofOf(part, node_id)] as const)))
  return entries.map((entry) => ({ ...entry, proof: proofs.get(entry.id) ?? null }))
}

function signedBy(keys: NodeKeys, school: string, { told, withheld }: Part): string {
  const digests = withheld.map(digestOfEntry)
  const text = historyText(school, told[0] as HistoryEntry, [...told.map(digestOfEntry), ...digests])
  return proofToText({ signature: signText(text, keys), withheld: digests })
}

/**
 * The proof that came with the entries; null where none did. Entries that came in two pieces are told as one, so each digest counts once.
 */
function storedProofOf({ told, withheld }: Part): string | null {
  const stored = [...told, ...withheld].find(({ proof }) => proof !== null)?.proof
  const known = stored ? textToProof(stored) : null
  if (!known) return null
  const others = new Set([...known.withheld, ...withheld.map(digestOfEntry)])
  for (const entry of told) others.delete(digestOfEntry(entry))
  return proofToText({ signature: known.signature, withheld: [...others] })
}

/** `fresh`, some of `entries`, with a proof for each transaction that is complete without the other entries, which are stored already. */
export function provedAlone(fresh: readonly HistoryEntry[], entries: readonly HistoryEntry[]): HistoryEntry[] {
  if (fresh.length === entries.length) return [...fresh]
  const isFresh = new Set(fresh.map(({ id }) => id))
  return withProofs(
    fresh,
    partsOf(entries, ({ id }) => isFresh.has(id)),
    storedProofOf,
  )
}

/** Who signs as a node: this database itself, a server, or the laptop of a person. */
export type Signer = { kind: 'self' | 'server' } | { kind: 'laptop'; user: string }
/** `isGuess`: the number may be a lost one of this database; only a signature can show that. */
type Key = { signer: Signer; publicKey: string; isGuess?: boolean }

const peersByNumber = rowsBy('sync_peer', { school: 'school_id', nodes: { in: 'node_id' } })
/** A parent's key is that of the database that was greeted last. */
const peersByEpoch = rowsBy('sync_peer', { school: 'school_id', nodes: { in: 'their_epoch' } })

/**
 * The public keys that are known here, by number: of own numbers, of which some may be lost, and of nodes that are or were enrolled in the
 * school.
 */
export async function keysOf(tx: ReadTx, school: string, secret: string, nodes: readonly string[]): Promise<Map<string, Key>> {
  const keys = new Map<string, Key>()
  const asked = { school, nodes: JSON.stringify(nodes) }
  for (const peer of await peersByNumber(tx, asked))
    if (peer.side === 'child' || peer.their_epoch === null) keys.set(peer.node_id, keyOf(peer))
  for (const peer of await peersByEpoch(tx, asked))
    if (peer.side === 'parent' && peer.their_epoch !== null) keys.set(peer.their_epoch, keyOf(peer))
  const own = await incarnations(tx)
  // An unknown number may be one that this database had before it was put back. This node derives its keys, and nobody else can sign with
  // them.
  const unknown = nodes.filter((node) => !keys.has(node) && !own.includes(node)).slice(0, MOST_LOST)
  for (const node of [...own.filter((each) => nodes.includes(each)), ...unknown])
    keys.set(node, { signer: { kind: 'self' }, publicKey: nodeKeys(secret, node).publicKey, isGuess: unknown.includes(node) })
  return keys
}
/** How many unknown numbers of a page are tried: deriving keys takes longer than verifying. */
const MOST_LOST = 16

const keyOf = ({ kind, user_id, public_key }: Row<'sync_peer'>): Key => ({
  signer: kind === 'laptop' ? { kind, user: user_id ?? '' } : { kind: 'server' },
  publicKey: public_key,
})

/** `none`: without a signature, or under a number that is unknown here. `forged`: under a known number whose node did not sign it. */
export type Verdict = { signer: Signer } | 'none' | 'forged'

/** What the signatures of transactions show, by `placeOf`: `transactionOf`, or `partOf` for stored entries. */
export async function verdictsOn<E extends HistoryEntry>(
  tx: ReadTx,
  school: string,
  secret: string,
  entries: readonly E[],
  placeOf: (entry: E) => string = transactionOf,
): Promise<Map<string, Verdict>> {
  const parts = new Map<string, HistoryEntry[]>()
  for (const entry of entries) {
    const part = parts.get(placeOf(entry))
    if (part) part.push(entry)
    else parts.set(placeOf(entry), [entry])
  }
  const keys = await keysOf(tx, school, secret, [...new Set(entries.map(({ node_id }) => node_id))])
  const verdictOn = (told: readonly HistoryEntry[]): Verdict => {
    const [first] = told as [HistoryEntry, ...HistoryEntry[]]
    const key = keys.get(first.node_id)
    const stated = told.find(({ proof }) => proof !== null)?.proof ?? null
    if (!key || stated === null) return 'none'
    const proof = textToProof(stated)
    const otherwise = key.isGuess ? 'none' : 'forged'
    if (!proof) return otherwise
    const text = historyText(school, first, [...told.map(digestOfEntry), ...proof.withheld])
    return isTextSignedBy(text, proof.signature, key.publicKey) ? { signer: key.signer } : otherwise
  }
  return new Map([...parts].map(([transaction, told]) => [transaction, verdictOn(told)]))
}
