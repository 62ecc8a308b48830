import { limits } from '@markbook/shared/limits'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import type { Kept } from '@markbook/sync/merge/conflict'
import { sameState } from '@markbook/sync/merge/merge'
import type { RowState } from '@markbook/sync/merge/state'
import { textToCursor } from '@markbook/sync/protocol/cursor'
import { entriesOf, type HistoryEntry } from '@markbook/sync/protocol/entries'
import { unpackChecked } from '@markbook/sync/protocol/kinds'
import type { Push, Pushed, RowAnswer } from '@markbook/sync/protocol/messages'
import { type Carried, type Malformed, packRows } from '@markbook/sync/protocol/page'
import { writtenValue } from '@markbook/sync/refused'
import { compareStamps, covers, EXISTENCE, type Stamp } from '@markbook/sync/versions'
import { type Peer, setPeer } from '../../store/peer-row.ts'
import { applyStates, keepConflicts } from '../../store/replica/apply.ts'
import type { Answer, Incoming } from '../../store/replica/page.ts'
import { type KnownRow, knownRows } from '../../store/replica/states.ts'
import type { WriteTx } from '../../store/tx.ts'
import type { SealKeys } from '../identity/own-keys.ts'
import { demandSingleWriter } from '../incarnation/duplicate-number.ts'
import { hasOtherParent, keepChildRefusals, type RefusedRow } from '../issues/child-refusals.ts'
import { ConflictRecords } from '../issues/conflict-records.ts'
import { watchRefused } from '../issues/kept-elsewhere.ts'
import { type RefusalLog, senderOf } from '../issues/refusal-log.ts'
import { takeEntries } from '../journal/history-exchange.ts'
import { type JudgedHistory, judgedHistory } from '../journal/judge.history.ts'
import { RowProofs } from '../journal/row-proofs.ts'
import { transactionOf } from '../journal/signed-history.ts'
import { AWAITS_PERSON } from '../scope/consent.ts'
import { announceSecrets } from '../scope/people.ts'
import { resealed } from '../scope/secrets.ts'
import { heardOf, writersOf } from '../scope/writers.ts'
import { booksWithEntries, watchApprovals } from './approvals.ts'
import { type Claiming, restOf } from './claims.ts'
import { Judge, type Verdict } from './judge.ts'
import { unreadParents } from './unread-parents.ts'

/** This node: its number, the keys for sealed columns of the child, and the log of refusals. */
export type Here = { epoch: string; keys: SealKeys; log: RefusalLog }

/**
 * Takes one push of a child: judges each row, applies what is accepted, and answers for each row that was not simply taken. It runs in one
 * transaction, which also saves what is acknowledged, so that a page that comes twice changes nothing (I9 to I11). Call within
 * `withSingleWriter`.
 */
export async function receive(tx: WriteTx, peer: Peer, { epoch, keys, log }: Here, push: Push): Promise<Pushed> {
  const school = peer.school_id as string
  const { rows, malformed } = unpackChecked(push.tables)
  const judged = await judgedHistory(tx, peer, keys.secret, entriesOf(push.history))
  const history = peer.revoked_at === null ? judged.taken : []
  await demandSingleWriter(tx, school, history, peer.id)
  const opened = peer.kind === 'laptop' ? rows : resealed(rows, keys.shared, keys.own)
  const cursor = textToCursor(push.cursor)
  const conflictStates = opened.flatMap(({ table, state }) => (table === 'sync_conflict' ? [state] : []))
  const writerLimits = await writersOf(tx, peer, epoch, push.to)
  const mostPlausible = (await tx.dialect.feedOf(tx.connection, school)).seq + limits.sync.counterLead
  const readUpTo = cursor?.epoch === epoch ? cursor.seq : Number.MAX_SAFE_INTEGER
  const proofs = new RowProofs(tx, school, keys.secret, judged)
  const records = peer.kind === 'laptop' ? await ConflictRecords.of(tx, peer, conflictStates, proofs) : null
  const withEntries = peer.kind === 'laptop' ? await booksWithEntries(tx, school, opened) : new Set<string>()
  const judge = new Judge(tx, peer, { readUpTo, records, limits: writerLimits, epoch, proofs, withEntries })
  const closeKept = await watchRefused(tx, peer, opened)
  const correctApprovals = peer.kind === 'laptop' ? await watchApprovals(tx, school, opened, withEntries) : null
  const answers: RowAnswer[] = []
  const heard = await heardOf(tx, school)
  const taking: Taking = {
    tx,
    school,
    peer,
    judge,
    records,
    limits: writerLimits,
    heard,
    proofs,
    mostPlausible,
    from: push.from,
    deletions: [],
    refused: [],
    corrected: [],
  }
  // In the order of the tables: whoever is appointed in this page may write in it. Deletions are applied last and together, so that no row
  // stays for another one that is deleted too.
  for (const [table, states] of byTable(opened)) answers.push(...(await takeTable(taking, table, states)))
  for (const each of malformed) answers.push(await refusalOfMalformed(tx, school, each))
  const gone = await applyStates(tx, school, taking.deletions, { source: peer.node_id })
  answers.push(...gone.filter(isNotPlain).map(plainAnswer))
  answers.push(...(await unreadParents(tx, peer, taking.corrected, readUpTo)))
  await correctApprovals?.()
  if (peer.kind !== 'laptop') await announceSecrets(tx, rows, null)
  await takeEntries(tx, school, history, peer.node_id)
  await keepChildRefusals(tx, peer, taking.refused, malformed)
  await closeKept(taking.refused.map(({ table, state: { id } }) => ({ table, id })))
  await acknowledge(tx, peer, push.to, history)
  log.note(senderOf(peer), [
    ...answers.flatMap(({ table, id, outcome, code }) => (outcome === 'refused' ? [{ table, row: id, code: code ?? '' }] : [])),
    ...(await untold(tx, peer, judged)).map(({ row_id }) => ({ table: 'history', row: row_id, code: 'not_yours' })),
  ])
  return { acknowledged: push.to, answers }
}

/**
 * The refused entries that should not have been told, for the log. A laptop with two parents cannot know which nodes each of them knows, so
 * for it signed entries of unknown nodes do not count.
 */
async function untold(tx: WriteTx, peer: Peer, { refused, verdicts }: JudgedHistory): Promise<readonly HistoryEntry[]> {
  const others = refused.filter((entry) => verdicts.get(transactionOf(entry)) !== 'none' || entry.proof === null)
  return others.length < refused.length && (await hasOtherParent(tx, peer)) ? others : refused
}

/** A page that is being taken, after `from` of the child's feed. `deletions`: applied once all tables are judged. */
type Taking = Claiming & {
  tx: WriteTx
  school: string
  records: ConflictRecords | null
  from: number
  deletions: Incoming[]
  refused: RefusedRow[]
  /** Rows of which something was refused, as they stand here. */
  corrected: Carried[]
}

function byTable(rows: readonly Carried[]): Map<Replicated, RowState[]> {
  const tables = new Map<Replicated, RowState[]>()
  for (const table of Object.keys(descriptions) as Replicated[]) {
    const own = rows.filter((row) => row.table === table).map(({ state }) => state)
    if (own.length > 0) tables.set(table, own)
  }
  return tables
}

async function takeTable(taking: Taking, table: Replicated, states: readonly RowState[]): Promise<RowAnswer[]> {
  const { tx, school, peer, judge, records } = taking
  const known = await knownRows(
    tx,
    table,
    school,
    states.map(({ id }) => id),
  )
  if (table === 'school_management') await judge.appointments.note(states)
  const taken: Incoming[] = []
  const refused: { state: RowState; verdicts: Verdict[] }[] = []
  for (const state of states) {
    const before = known.get(state.id)
    const verdicts = await judge.verdicts(table, state, before)
    if (isPassedOver(table, verdicts)) continue
    const rest = await restOf(taking, table, state, before, verdicts)
    if (verdicts.length > 0) {
      if (!before) judge.refusedParents.note(table, state.id)
      const all = rest === null ? ofWholeRow(state, before, verdicts) : verdicts
      records?.noteRefused(table, state.id, all)
      refused.push({ state, verdicts: all })
    }
    const isPart = rest !== null && (!sameState(rest, state) || isOfBefore(taking, state))
    if (rest) (rest.alive.length > 0 ? taken : taking.deletions).push({ table, state: rest, isPart })
  }
  const conflicts = refused.flatMap(({ state, verdicts }) => keptByRight(table, state, verdicts))
  const applied = await applyStates(tx, school, taken, { source: peer.node_id })
  await keepConflicts(tx, school, conflicts)
  const after = await knownRows(
    tx,
    table,
    school,
    refused.map(({ state }) => state.id),
  )
  taking.refused.push(...refused.flatMap(({ state, verdicts }) => notKeptByRight(table, state, verdicts, after.get(state.id))))
  for (const { state } of after.values()) taking.corrected.push({ table, state })
  const notPlain = applied.filter((answer) => isNotPlain(answer) && !refused.some(({ state }) => state.id === answer.id))
  return [...refused.map(({ state, verdicts }) => refusal(table, state, verdicts, after.get(state.id))), ...notPlain.map(plainAnswer)]
}

/**
 * Whether a laptop wrote nothing new in a row that it sends: it has merged what it wrote before with what came from parents. A copy of the
 * laptop, which has the same number, wrote nothing new either, so nobody can tell the two apart, and may not have read what came.
 */
const isOfBefore = ({ peer, from }: Pick<Taking, 'peer' | 'from'>, { vv }: RowState): boolean =>
  peer.kind === 'laptop' && (vv[peer.node_id] ?? 0) <= from

/**
 * Rows that are neither taken nor refused nor told: means of sign-in of somebody who works at another school, since each database may have
 * its own; and the profile of somebody who has not agreed to a place in the school.
 */
const isPassedOver = (table: Replicated, verdicts: readonly Verdict[]) =>
  verdicts.some(
    ({ code }) => (descriptions[table].sealed && code === 'foreign') || (descriptions[table].scope === 'commons' && code === AWAITS_PERSON),
  )

const isNotPlain = ({ outcome }: Answer) => outcome === 'held' || outcome === 'merged'

/** Where nothing of a row is taken, each of its new units is refused with it. */
function ofWholeRow(state: RowState, known: KnownRow | undefined, verdicts: readonly Verdict[]): Verdict[] {
  const [first] = verdicts as [Verdict, ...Verdict[]]
  const fresh = Object.entries(state.units).filter(([, stamp]) => !known || !covers(known.state.vv, stamp))
  const others = fresh.filter(([unit]) => verdicts.every((verdict) => verdict.unit !== unit))
  return [...verdicts, ...others.map(([unit]) => ({ ...first, unit }))]
}

const plainAnswer = ({ table, id, outcome, reason }: Answer): RowAnswer => ({
  table,
  id,
  outcome,
  units: [],
  code: reason ?? null,
  theirs: null,
})

const refusal = (table: Replicated, { id }: RowState, verdicts: readonly Verdict[], theirs: KnownRow | undefined): RowAnswer => ({
  table,
  id,
  outcome: verdicts.every(({ stale }) => stale) ? 'conflict' : 'refused',
  units: verdicts.map(({ unit }) => unit),
  code: verdicts[0]?.code ?? null,
  theirs: theirs && !descriptions[table].sealed ? (packRows([{ table, state: theirs.state }])[0] ?? null) : null,
})

/** A row that cannot be read is refused, and the child gets the row that is here. */
async function refusalOfMalformed(tx: WriteTx, school: string, { table, id, units }: Malformed): Promise<RowAnswer> {
  const theirs = (await knownRows(tx, table, school, [id])).get(id)
  const packed = theirs ? (packRows([{ table, state: theirs.state }])[0] ?? null) : null
  return { table, id, outcome: 'refused', units, code: 'malformed', theirs: packed }
}

/**
 * Refused writes whose author could not know that the right was lost, as conflicts for a person to decide. A created row is kept whole,
 * under its last write: it may have been changed since another parent refused it, and a record must never have two contents.
 */
const keptByRight = (table: Replicated, state: RowState, verdicts: readonly Verdict[]): Kept[] =>
  verdicts.flatMap(({ unit, stale }): Kept[] => {
    const isMade = unit === EXISTENCE && state.alive.length > 0
    const stamp = isMade ? lastWritten(state) : state.units[unit]
    if (!stale || !stamp || descriptions[table].sealed) return []
    const value = writtenValue(table, state, unit)
    // A creation and a deletion can have the same stamp: a row that exists in spite of a deletion bears that of the deletion.
    const reason = value === null ? 'right_to_delete_lost' : 'right_lost'
    return [{ table, rowId: state.id, unit, kind: 'right', value, stamp, status: 'open', reason }]
  })

/** The refused units that are no conflict of kind `right`; conflicts are shown to administrators as such. */
function notKeptByRight(table: Replicated, state: RowState, verdicts: readonly Verdict[], theirs: KnownRow | undefined): RefusedRow[] {
  const units = verdicts.filter(({ stale }) => !stale)
  return units.length > 0 ? [{ table, state, units, theirs: theirs?.state }] : []
}

/** The last write by counter: the writer's clock may have gone back. */
const lastWritten = ({ units }: RowState): Stamp | undefined => Object.values(units).sort((a, b) => b[1] - a[1] || compareStamps(b, a))[0]

async function acknowledge(tx: WriteTx, peer: Peer, to: number, history: readonly HistoryEntry[]): Promise<void> {
  const own = history.filter(({ node_id }) => node_id === peer.node_id)
  const last = own.reduce((latest, entry) => (entry.node_seq > latest.node_seq ? entry : latest), { node_seq: 0, head: peer.history_head })
  const set = {
    own_seq: Math.max(to, 0),
    highest_counter: Math.max(peer.highest_counter, to),
    history_head: last.head,
    last_seen_at: tx.now,
  }
  await setPeer(tx, peer.id, set)
}
