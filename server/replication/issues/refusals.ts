import { naturalId } from '@markbook/shared/ids'
import { hasWrongId } from '@markbook/shared/tables/natural'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { type JournalEntry, stampIn, valuesInEntry } from '@markbook/sync/journal'
import { isSame, pick, type RowState, type Values } from '@markbook/sync/merge/state'
import { unpackChecked } from '@markbook/sync/protocol/kinds'
import type { RowAnswer } from '@markbook/sync/protocol/messages'
import { packRows, travelling, unpackRows } from '@markbook/sync/protocol/page'
import { type RefusedWrite, refusedWrite } from '@markbook/sync/refused'
import { PENDING } from '@markbook/sync/stamp'
import { compareStamps, covers, EXISTENCE, type Stamp } from '@markbook/sync/versions'
import { isNotNull, isNull, ne, or } from 'drizzle-orm'
import type { Peer } from '../../store/peer-row.ts'
import { applyStates } from '../../store/replica/apply.ts'
import { forgetRows, forgetWithAll } from '../../store/replica/forget.ts'
import { keyOf } from '../../store/replica/links.ts'
import { overwriteRow, replaceByTheirs } from '../../store/replica/overwrite.ts'
import { namedBelow } from '../../store/replica/remove-deleted.ts'
import { type KnownRow, knownByKey, knownRows } from '../../store/replica/states.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { entriesOfRow, entryToJournal } from '../journal/row-proofs.ts'
import { AWAITS_PERSON, awaitsPerson } from '../scope/consent.ts'
import { isWritable } from '../scope/normal-form.ts'
import { type RefusalOutcome, type RefusedRow, refusalOutcome } from './refusal-outcome.ts'

/** This node's number, whether it is a laptop, and the number of its feed up to which the parent has answered. */
type Here = { node: string; isLaptop: boolean; sent: number }

/**
 * Gives up writes of this node that its parent refused; they are on the list already (`keepRefused`). What the parent has is written over
 * each of them as a new write of this node, so that this node's own children follow (SPEC, «Push»).
 */
export async function takeRefusals(tx: WriteTx, here: Here, school: string, answers: readonly RowAnswer[]): Promise<void> {
  const order = Object.keys(descriptions)
  const known = answers.filter(({ table }) => Object.hasOwn(descriptions, table))
  const sorted = [...known].sort((a, b) => order.indexOf(a.table) - order.indexOf(b.table))
  // First the rows that live at the parent, parent rows before child rows; then those that do not, child rows before parent rows.
  for (const answer of sorted) if (theirsIn(answer)) await takeRefusal(tx, here, school, answer)
  for (const answer of sorted.reverse()) if (!theirsIn(answer)) await takeRefusal(tx, here, school, answer)
}

/** The parent that refuses: its enrolment, and whether it is the first, whose refusal is final. `own`: the number of this node. */
type Refusing = Pick<Peer, 'id' | 'school_id' | 'user_id'> & { isFirst: boolean; own: string }

/** Puts each refused write on the list, as it is here. Call before the parent's rows are applied. Each write stands once on the list. */
export async function keepRefused(tx: WriteTx, parent: Refusing, answers: readonly RowAnswer[]): Promise<void> {
  const school = parent.school_id as string
  const codeOf = ({ code, outcome }: RowAnswer) => (outcome === 'conflict' ? 'right_lost' : (code ?? 'refused'))
  const theirs = new Map(answers.map((answer) => [keyOf(answer), stateIn(answer)]))
  // The id differs from that of what this node itself refuses.
  for (const { table, state, write, id } of await writesIn(tx, school, answers, { codeOf, end: ['above'] })) {
    if (parent.user_id === null || !isGivenWay(table, write, parent.own)) await keep(tx, parent, write, id)
    else if (parent.isFirst) {
      const lost = await lostWith(tx, school, table, { state, write, theirs: theirs.get(keyOf({ table, id: state.id })) ?? null })
      if (lost) await keep(tx, parent, lost, entryIdOf(school, lost, 'above'))
    }
  }
}

/** Puts on the list what the parent takes only once the person agrees. The rows stay here, and each write stands once on the list. */
export async function keepAwaiting(tx: WriteTx, school: string, answers: readonly RowAnswer[]): Promise<void> {
  for (const { write, id } of await writesIn(tx, school, answers.filter(awaitsPerson), { codeOf: () => AWAITS_PERSON, end: [] })) {
    const entry = { ...write, id, school_id: school, refused_at: tx.now, seen_at: null, peer_id: null }
    await tx.local.insert(tx.t.sync_refused).values(entry).onConflictDoNothing()
  }
}

type Naming = { codeOf(answer: RowAnswer): string; end: readonly string[] }
/** The writes here of the units that answers name, each with the id of its entry on the list. */
async function writesIn(tx: WriteTx, school: string, answers: readonly RowAnswer[], { codeOf, end }: Naming) {
  const writes: { table: Replicated; state: RowState; write: RefusedWrite; id: string }[] = []
  const known = await knownByKey(tx, school, answers)
  for (const answer of answers) {
    const of = known.get(keyOf(answer))
    for (const unit of of ? answer.units : []) {
      const write = of && refusedWrite(of.table, of.state, unit, codeOf(answer))
      if (!write) continue
      writes.push({ table: of.table, state: of.state, write, id: entryId(school, of.table, of.state, unit, ...end) })
    }
  }
  return writes
}

/** The id of the entry of a write on the list: it follows from the row, the unit and the dot, so that each write stands once. */
export function entryId(school: string, table: Replicated, { id, units }: RowState, unit: string, ...end: readonly string[]): string {
  const [node_id, counter] = units[unit] as Stamp
  return entryIdOf(school, { table_name: table, row_id: id, unit, node_id, counter }, ...end)
}
const entryIdOf = (
  school: string,
  { table_name, row_id, unit, node_id, counter }: Pick<RefusedWrite, 'table_name' | 'row_id' | 'unit' | 'node_id' | 'counter'>,
  ...end: readonly string[]
): string => naturalId('refusal', school, table_name, row_id, unit, node_id as string, String(counter), ...end)

/**
 * Whether a write only gives way to a refusal: by nobody and under its own number a laptop writes only what its first parent has. Its
 * refusal loses nothing, unless the parent has lost that since (`lostWith`).
 */
export const isGivenWay = (table: string, { actor_id, node_id }: RefusedWrite, laptop: string): boolean =>
  table !== 'sync_conflict' && actor_id === null && node_id === laptop

/**
 * The write of somebody else that a laptop's write by nobody repeats, and that the parent does not have: its database was put back, and it
 * could not tell whose write that was. Null where there is none. `theirs`: the row at the parent.
 */
async function lostWith(
  tx: ReadTx,
  school: string,
  table: Replicated,
  { state, write, theirs }: { state: RowState; write: RefusedWrite; theirs: RowState | null },
): Promise<RefusedWrite | null> {
  const { unit } = write
  const isRepeated = (values: Values) => {
    const told = Object.entries(values)
    return told.length > 0 && told.every(([column, value]) => isSame(value, state.values[column]))
  }
  const entries = unit === EXISTENCE ? [] : (await entriesOfRow(tx, school, table, state)).map(entryToJournal)
  const stamps = entries.flatMap((entry) => {
    const stamp = entry.entity === table && entry.action !== 'delete' ? stampIn(table, entry, unit) : null
    return stamp && stamp[3] !== null && isRepeated(valuesInEntry(table, entry, unit)) ? [stamp] : []
  })
  const [last] = stamps.sort((a, b) => compareStamps(b, a))
  if (!last || covers(theirs?.vv ?? {}, last)) return null
  const [node_id, counter, hlc, actor_id] = last
  return { ...write, node_id, counter, hlc, actor_id }
}

/**
 * Puts an entry on the list. An entry that another parent caused stays until the first has answered; if the first refuses too, the entry is
 * its own and open.
 */
async function keep(tx: WriteTx, { id: parent_id, school_id, isFirst }: Refusing, write: RefusedWrite, id: string): Promise<void> {
  const { sync_refused } = tx.t
  const now = { code: write.code, refused_at: tx.now, seen_at: null, parent_id }
  const inserted = tx.local.insert(tx.t.sync_refused).values({ ...write, ...now, id, school_id: school_id as string, peer_id: null })
  const isSettled = or(isNotNull(sync_refused.seen_at), isNull(sync_refused.parent_id), ne(sync_refused.parent_id, parent_id))
  await (isFirst ? inserted.onConflictDoUpdate({ target: sync_refused.id, set: now, setWhere: isSettled }) : inserted.onConflictDoNothing())
}

/**
 * Of what a parent other than the first refuses: the units that this node wrote, and for which `first` has yet to answer. What others made
 * may still come to that parent by another way, and so may what the first has taken.
 */
export async function ofOwn(
  tx: ReadTx,
  { node, first }: { node: string; first: Pick<Peer, 'school_id' | 'own_seq' | 'own_people'> },
  answers: readonly RowAnswer[],
): Promise<RowAnswer[]> {
  const own: RowAnswer[] = []
  for (const answer of answers.filter(({ table }) => Object.hasOwn(descriptions, table))) {
    const table = answer.table as Replicated
    const known = (await knownRows(tx, table, first.school_id as string, [answer.id])).get(answer.id)
    const answered = descriptions[table].scope === 'commons' ? first.own_people : first.own_seq
    const units = answer.units.filter((unit) => {
      const [writer, counter] = known?.state.units[unit] ?? []
      return writer === node && (counter as number) > answered
    })
    if (known && units.length > 0 && isOwnLoss(node, known.state, stateIn(answer))) own.push({ ...answer, units })
  }
  return own
}

/**
 * Whether refused units that a laptop wrote itself (`node`) are its loss, where the row at the parent is `theirs`. Not where the row is
 * deleted at both ends, and the laptop's first parent has yet to read that, or where others made a row that the parent does not have.
 */
export const isOwnLoss = (node: string, state: RowState, theirs: RowState | null): boolean =>
  theirs === null ? isMadeBy(node, state) : theirs.alive.length + state.alive.length > 0

/**
 * Whether `node` made the row. A deleted row bears only the stamp of its deletion, which may be of what others made: then all its writes
 * must be of `node`.
 */
function isMadeBy(node: string, { alive, units, vv }: RowState): boolean {
  return alive.length > 0 ? units[EXISTENCE]?.[0] === node : Object.keys(vv).every((each) => each === node)
}

/** The row as the parent has it; null where it has none. */
const stateIn = ({ theirs }: RowAnswer): RowState | null => (theirs ? (unpackRows([theirs]).rows[0]?.state ?? null) : null)

/** The same; null also where the row is deleted there. */
function theirsIn(answer: RowAnswer): RowState | null {
  const state = stateIn(answer)
  return state && state.alive.length > 0 ? state : null
}

async function takeRefusal(tx: WriteTx, here: Here, school: string, answer: RowAnswer): Promise<void> {
  const { id } = answer
  const table = answer.table as Replicated
  const known = (await knownRows(tx, table, school, [id])).get(id)
  if (!known) return
  const [state, theirs] = [stateIn(answer), theirsIn(answer)]
  const { node, isLaptop, sent } = here
  const { row, write } = await describeRefused(tx, here, school, { answer, known, state, theirs })
  // Whether the parent has all of this node's writes to a row. A pending write is one that this transaction made over another refusal: it
  // says what the parent has.
  const isAtParent = ({ vv, units: all }: RowState) =>
    [vv[node] ?? 0, ...Object.values(all).flatMap(([writer, counter]) => (writer === node ? [counter] : []))].every(
      (counter) => counter === PENDING || counter <= sent,
    )
  const merge = async () => void (state && (await applyStates(tx, school, [{ table, state }], { source: null })))
  const outcomes: Record<RefusalOutcome, () => Promise<void>> = {
    forget: () => forgetWithAll(tx, table, school, id, (rows) => rows.every((each) => isAtParent(each.state))),
    // The row stays where rows name it: the parent has those, and does not send them again.
    merge: () => (isAtParent(known.state) ? replaceByTheirs(tx, school, table, known, state) : merge()),
    replace: () => replaceByTheirs(tx, school, table, known, theirs),
    leave: async () => {},
    // The deleted row may stay at the parent for rows that name it, and then stays here with those.
    forgetDeletion: async () => {
      await forgetRows(tx, table, school, [id])
      await merge()
    },
    write: () => overwriteRow(tx, school, node, { table, known, ...write, theirs }),
  }
  await outcomes[refusalOutcome({ ...row, isLaptop })]()
}

/** `state`: the row as the parent has it, null where it has none; `theirs`: the same, null also where it is deleted there. */
type Refused = { answer: RowAnswer; known: KnownRow; state: RowState | null; theirs: RowState | null }

/** The facts about a refused row, and what would be written over it. */
async function describeRefused(tx: WriteTx, { node, isLaptop, sent }: Here, school: string, { answer, known, state, theirs }: Refused) {
  const { units, code } = answer
  const table = answer.table as Replicated
  const columnsOf = (unit: string) => descriptions[table].units[unit] ?? []
  const isGone = known.state.alive.length === 0
  const ofExistence = units.includes(EXISTENCE)
  const named = Object.keys(descriptions[table].units).filter((unit) => (isGone && theirs) || units.includes(unit))
  // Existence is written anew too: the dots in `alive` may be of a number whose writes the parent has lost.
  const own = !isGone && theirs && ofExistence ? [EXISTENCE, ...named] : named
  const isMalformed = code === 'malformed'
  const sound = isMalformed && !isGone ? await lastSound(tx, school, table, { state: known.state, units, theirs }) : {}
  const partOf = (unit: string) => (unit === EXISTENCE ? descriptions[table].identity : columnsOf(unit))
  const taken = state ? Object.assign({}, ...own.map((unit) => pick(state.values, partOf(unit)))) : {}
  const values = { ...taken, ...sound }
  const after = { ...known.state, values: { ...known.state.values, ...values } }
  const isSound = Object.keys(sound).length > 0 && isReadable(table, after)
  const deletes = !theirs && !isSound
  const isWritten = units.some((unit) => known.state.units[unit]?.[0] === node) || (known.state.vv[node] ?? 0) > sent
  const row: Omit<RefusedRow, 'isLaptop'> = {
    here: isGone ? 'deleted' : 'lives',
    there: theirs ? 'lives' : state ? 'deleted' : 'none',
    isMade: isMadeBy(node, known.state),
    isReturned: state !== null && !isGone && isSame(known.state.units[EXISTENCE], state.units[EXISTENCE]),
    isStored: known.row !== null,
    stays: deletes && known.row !== null && (isMalformed || !isWritten) && (await isNeeded(tx, school, table, known)),
    ofExistence,
    isMalformed,
    // A laptop has no children that would have to follow, and needs no write of a row that is malformed for the parent.
    canTravel: !isMalformed || isSound || (!isLaptop && (deletes ? canBeRead(table, { ...after, alive: [] }) : isReadable(table, after))),
    isOurs: isWritten || isSound,
    hasUnits: own.length > 0,
  }
  const written = state ? own : units.filter((unit) => columnsOf(unit).some((column) => column in sound))
  return { row, write: { units: written, values, deletes } }
}

/** Whether a parent can read the row (`receive`), and take its values (`Judge`), for which it does not ask of a deleted one. */
const isReadable = (table: Replicated, state: RowState): boolean =>
  canBeRead(table, state) && !hasWrongId(table, state.values) && isWritable(table, state.values, travelling(table))
const canBeRead = (table: Replicated, state: RowState): boolean => unpackChecked(packRows([{ table, state }])).rows.length === 1

/** Whether a row that is here names it. */
async function isNeeded(tx: WriteTx, school: string, table: Replicated, known: KnownRow): Promise<boolean> {
  const needed = await namedBelow(tx, school, table, [known])
  return needed.size > 0
}

/**
 * Of the refused units whose value nobody could have written through the interface, the columns as they were written last before that, as
 * far as the history here tells it. So a mark that somebody changed outside the program is again what its teacher typed. `theirs`: the row
 * at the parent, whose value is taken where it was written as late or later.
 */
async function lastSound(
  tx: ReadTx,
  school: string,
  table: Replicated,
  { state, units, theirs }: { state: RowState; units: readonly string[]; theirs: RowState | null },
): Promise<Values> {
  const columnsOf = (unit: string) => descriptions[table].units[unit] ?? []
  const impossible = units.filter((unit) => state.units[unit] && !isWritable(table, state.values, columnsOf(unit)))
  if (impossible.length === 0) return {}
  const entries = (await entriesOfRow(tx, school, table, state)).map(entryToJournal).filter((entry) => entry.entity === table)
  const sound: Values[] = impossible.map((unit) => {
    const columns = columnsOf(unit)
    const [, , hlc] = state.units[unit] as Stamp
    const writes = entries.flatMap((entry) => {
      const stamp = entry.action === 'delete' ? null : stampIn(table, entry, unit)
      const isTold = columns.every((column) => tells(entry, column))
      return stamp && isTold && stamp[2] <= hlc ? [{ stamp, values: valuesInEntry(table, entry, unit) }] : []
    })
    const [last] = writes
      .filter(({ values }) => isWritable(table, { ...state.values, ...values }, columns))
      .sort((a, b) => compareStamps(b.stamp, a.stamp))
    const standing = theirs?.units[unit]
    return last && (!standing || compareStamps(last.stamp, standing) > 0) ? last.values : {}
  })
  return Object.assign({}, ...sound)
}

/** Entries of older programs tell only the columns that changed. */
const tells = ({ action, changes, detail }: JournalEntry, column: string): boolean =>
  action === 'create' || column in changes || (detail?.values !== undefined && column in detail.values)
