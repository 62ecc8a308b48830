import { createHash } from 'node:crypto'
import type { Row } from '@markbook/shared/tables/tables'
import type { HistoryEntry } from '@markbook/sync/protocol/entries'
import { incarnations } from '../../store/node.ts'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'
import { isTextSignedBy, type NodeKeys, nodeKeys, signText } from '../identity/keys.ts'

/**
 * The signature of a node over one transaction of its history, and the digests of those entries of it that are not beside the signature:
 * whoever may not read them can still verify the others (sync/SPEC.md, «History»).
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

/** What is signed of a transaction. Its entries have no order: their digests do. */
export const historyText = (school: string, { node_id, node_seq, head }: HistoryEntry, digests: readonly string[]): string =>
  ['markbook-history-1', school, node_id, node_seq, head, sha256([...digests].sort().join(''))].join('\n')

/** A transaction as far as its entries are told: all of one node and number. */
type Part = { told: readonly HistoryEntry[]; withheld: readonly HistoryEntry[] }

/**
 * Entries of a school with a proof on one of each transaction. `all`: those of the same transactions that are not told beside them. What this
 * database wrote itself is signed now, with the keys of the number under which it wrote; what others wrote has the proof that came with it.
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
    own.has(node) ? signedBy(nodeKeys(secret, node), school, part) : acknowledgedByParent(part)
  return withProofs(entries, parts, proofOf)
}

/** A database and a copy of it may both have used a number, each for a transaction with its own head. */
export const transactionOf = ({ node_id, node_seq, head }: OfTransaction): string => `${node_id} ${node_seq} ${head}`
type OfTransaction = Pick<HistoryEntry, 'node_id' | 'node_seq' | 'head'>

/** What came here together of a transaction: it has a signature of its own. */
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

/** The proof that came with it; null where none did. What came in two pieces is told as one: each digest counts once. */
function acknowledgedByParent({ told, withheld }: Part): string | null {
  const stored = [...told, ...withheld].find(({ proof }) => proof !== null)?.proof
  const known = stored ? textToProof(stored) : null
  if (!known) return null
  const others = new Set([...known.withheld, ...withheld.map(digestOfEntry)])
  for (const entry of told) others.delete(digestOfEntry(entry))
  return proofToText({ signature: known.signature, withheld: [...others] })
}

/** `fresh`, some of `entries`, each transaction with a proof that counts without the rest of it, which is stored already. */
export function provedAlone(fresh: readonly HistoryEntry[], entries: readonly HistoryEntry[]): HistoryEntry[] {
  if (fresh.length === entries.length) return [...fresh]
  const isFresh = new Set(fresh.map(({ id }) => id))
  return withProofs(
    fresh,
    partsOf(entries, ({ id }) => isFresh.has(id)),
    acknowledgedByParent,
  )
}

/** Who signs as a node: this database itself, a server, or the laptop of a person. */
export type Signer = { kind: 'self' | 'server' } | { kind: 'laptop'; user: string }
/** `isGuess`: whose number it is, its signature alone can show. */
type Key = { signer: Signer; publicKey: string; isGuess?: boolean }

const peersByNumber = rowsBy('sync_peer', { school: 'school_id', nodes: { in: 'node_id' } })
/** A parent's key is the one of the database that was greeted last; its number may be one that was only heard of (`above.ts`). */
const peersByEpoch = rowsBy('sync_peer', { school: 'school_id', nodes: { in: 'their_epoch' } })

/** Whose signature is known here, by the numbers of nodes: own numbers, of which some may be lost, and nodes that are or were enrolled in the school. */
export async function keysOf(tx: ReadTx, school: string, secret: string, nodes: readonly string[]): Promise<Map<string, Key>> {
  const keys = new Map<string, Key>()
  const asked = { school, nodes: JSON.stringify(nodes) }
  for (const peer of await peersByNumber(tx, asked))
    if (peer.side === 'child' || peer.their_epoch === null) keys.set(peer.node_id, keyOf(peer))
  for (const peer of await peersByEpoch(tx, asked))
    if (peer.side === 'parent' && peer.their_epoch !== null) keys.set(peer.their_epoch, keyOf(peer))
  const own = await incarnations(tx)
  // A number that this database had later, before it was put back, is one of which it has the keys: nobody else can have signed with them.
  const unknown = nodes.filter((node) => !keys.has(node) && !own.includes(node)).slice(0, MOST_LOST)
  for (const node of [...own.filter((each) => nodes.includes(each)), ...unknown])
    keys.set(node, { signer: { kind: 'self' }, publicKey: nodeKeys(secret, node).publicKey, isGuess: unknown.includes(node) })
  return keys
}
/** Numbers of a page that are tried: to make keys takes longer than to use them. */
const MOST_LOST = 16

const keyOf = ({ kind, user_id, public_key }: Row<'sync_peer'>): Key => ({
  signer: kind === 'laptop' ? { kind, user: user_id ?? '' } : { kind: 'server' },
  publicKey: public_key,
})

/** `none`: without a signature, or by a node that is not known here. `forged`: by a node that is known, which did not sign it so. */
export type Verdict = { signer: Signer } | 'none' | 'forged'

/** What the signatures of transactions say that another node tells, by `transactionOf`, or `partOf` of what is stored. */
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
