import { limits } from '@markbook/shared/limits'
import { parsedChanges, textToChanges } from '@markbook/shared/tables/changes'
import { kindsOf } from '@markbook/shared/tables/kinds'
import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { parsedDetail } from '@markbook/sync/journal'
import type { HistoryEntry } from '@markbook/sync/protocol/entries'
import { isOfKind } from '@markbook/sync/protocol/kinds'
import { and, eq } from 'drizzle-orm'
import { isDeeperThan } from '../../http/json-depth.ts'
import { incarnations } from '../../store/node.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import { noteEntities, type ReadTx } from '../../store/tx.ts'
import { provedAlone, transactionOf, type Verdict, verdictsOn } from './signed-history.ts'

type Peer = Pick<Row<'sync_peer'>, 'kind' | 'school_id' | 'user_id' | 'node_id'>

const NODE = 'node'
const NOTES: ReadonlySet<string> = new Set(noteEntities)
/** The notes of a laptop. All others tell who may sign in, and which nodes there are: only a server knows that. */
const OF_LAPTOPS: ReadonlySet<string> = new Set(['import', 'reminder', NODE])

/** `verdicts`: what the signatures show, by `transactionOf`. */
export type JudgedHistory = {
  taken: HistoryEntry[]
  refused: HistoryEntry[]
  verdicts: ReadonlyMap<string, Verdict>
}

/**
 * Decides which history entries of a child are taken (sync/SPEC.md, «History»).
 * - signed by a node that is known here: whoever brings them; but what a laptop signed must be its person's
 * - unsigned, under a number that is known here: only from a school's server for nodes of that school, since it has their history from
 *   before it was signed
 * - unsigned, under an unknown number: of a laptop what is its person's
 */
export async function judgedHistory(tx: ReadTx, peer: Peer, secret: string, entries: readonly HistoryEntry[]): Promise<JudgedHistory> {
  const school = peer.school_id as string
  const verdicts = await verdictsOn(tx, school, secret, entries)
  const nobodys = await nobodysNumbers(tx, peer, entries)
  const isTaken = (entry: HistoryEntry): boolean => {
    const verdict = verdicts.get(transactionOf(entry)) ?? 'none'
    if (!isWellFormed(entry) || verdict === 'forged') return false
    if (verdict !== 'none') return verdict.signer.kind !== 'laptop' || isOf(verdict.signer.user, entry)
    if (peer.kind === 'laptop') return nobodys.has(entry.node_id) && isOf(peer.user_id, entry)
    return nobodys.has(entry.node_id)
  }
  const taken: HistoryEntry[] = []
  const refused: HistoryEntry[] = []
  for (const entry of entries) (isTaken(entry) ? taken : refused).push(entry)
  // The proof may stand on a refused entry: it is moved to one that is taken, and counts once its node is known here.
  return { taken: provedAlone(taken, entries), refused, verdicts }
}

/** Whether every reader of the history can read an entry. */
function isWellFormed(entry: HistoryEntry): boolean {
  const { entity, changes, detail } = entry
  if (isTooDeep(changes) || (detail !== null && isTooDeep(detail))) return false
  if (parsedChanges(changes) === null || (detail !== null && parsedDetail(detail) === null)) return false
  return Object.hasOwn(descriptions, entity) ? hasSoundValues(entity as Replicated, changes) : NOTES.has(entity) && isOfOwnNode(entry)
}

const isTooDeep = (text: string) => isDeeperThan(limits.body.jsonDepth, Buffer.from(text))

/** Whether the values of known columns are of their kinds: readers ask for the rows that they name, and show them. */
function hasSoundValues(table: Replicated, changes: string): boolean {
  const kinds = kindsOf[table]
  const isSound = (column: string, value: unknown) => {
    const kind = Object.hasOwn(kinds, column) ? kinds[column] : undefined
    return kind === undefined || kind === 'json' || value === null || isOfKind(kind, value)
  }
  return Object.entries(textToChanges(changes)).every(([column, { before, after }]) => isSound(column, before) && isSound(column, after))
}

/** The beginning of a number is told under that number: such an entry excuses a database whose history is another (audit). */
const isOfOwnNode = ({ entity, action, row_id, near_id, node_id }: HistoryEntry): boolean =>
  entity !== NODE || action !== 'create' || (row_id === node_id && near_id === node_id)

/** Whether an entry of a laptop is of this person. Only notes about a node have no author. */
function isOf(user: string | null, { actor_id, entity }: HistoryEntry): boolean {
  if (NOTES.has(entity) && !OF_LAPTOPS.has(entity)) return false
  return actor_id === null ? entity === NODE : actor_id === user
}

const peersUnder = rowsBy('sync_peer', { nodes: { in: 'node_id' } }, { columns: ['node_id', 'school_id', 'kind', 'user_id'] })
const writersUnder = statement<{ school: string; nodes: string }>()(({ db, t: { history }, p, dialect }) =>
  db
    .selectDistinct({ node_id: history.node_id, actor_id: history.actor_id })
    .from(history)
    .where(and(eq(history.school_id, p.school), dialect.inList(history.node_id as never, p.nodes))),
)

/**
 * The numbers under which a child may tell unsigned entries. A laptop: those that no node has here, and under which nobody else has
 * written; it may have had several before it met a parent. A school's server: all but those of this node and of other schools.
 */
async function nobodysNumbers(tx: ReadTx, { kind, school_id, user_id }: Peer, entries: readonly HistoryEntry[]): Promise<Set<string>> {
  const school = school_id as string
  const numbers = new Set(entries.map(({ node_id }) => node_id))
  for (const own of await incarnations(tx)) numbers.delete(own)
  const nodes = JSON.stringify([...numbers])
  for (const known of await peersUnder(tx, { nodes })) if (kind === 'laptop' || known.school_id !== school) numbers.delete(known.node_id)
  if (kind === 'laptop')
    for (const { node_id, actor_id } of await writersUnder(tx, { school, nodes }))
      if (actor_id !== null && actor_id !== user_id) numbers.delete(node_id)
  return numbers
}
