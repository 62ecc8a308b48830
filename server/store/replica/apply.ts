import { limits } from '@markbook/shared/limits'
import { hasWrongId } from '@markbook/shared/tables/natural'
import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { conflictState, type Kept, keptFrom } from '@markbook/sync/merge/conflict'
import { type Loser, mergeRows, sameState } from '@markbook/sync/merge/merge'
import { settleBook } from '@markbook/sync/merge/settle'
import { isSame, type RowState, type Values } from '@markbook/sync/merge/state'
import { isSound } from '@markbook/sync/protocol/kinds'
import { covers, join } from '@markbook/sync/versions'
import type { WriteTx } from '../tx.ts'
import { keepClaims, record, restand, stands, writeRows } from './application.ts'
import { BOOK, followBooks, settleEntries } from './frozen.ts'
import { dropHeld, heldRows, hold, QueueFull } from './held.ts'
import { type AnyRow, keyOfRow, tableOrder } from './links.ts'
import type { Answer, Application, Change, Incoming, Outcome } from './page.ts'
import { leaveParents, leaveWaited, removeDeleted, withParents } from './remove-deleted.ts'
import { isLost, knownRows, lockedRows } from './states.ts'
import { applyTableRules, settleMaxima } from './table-rules.ts'
import { freeUniqueTexts, hasUniqueRule, settleUniqueRules } from './unique-rules.ts'
import { syncRowOf } from './write.ts'

/**
 * Merges states of a school's rows, and of its people, into this database, and writes what stands (sync/SPEC.md). Runs within the caller's
 * transaction; applying the same states again changes nothing. `source`: the peer that sent them. `retries`: held rows are tried again.
 * `fromParent`: the page came down, so nobody waits for answers, and there are none. Throws `QueueFull`.
 */
export async function applyStates(
  tx: WriteTx,
  schoolId: string,
  incoming: readonly Incoming[],
  { source, retries = true, fromParent = false }: { source: string | null; retries?: boolean; fromParent?: boolean },
): Promise<Answer[]> {
  const application: Application = { tx, schoolId, changes: new Map(), kept: [], answers: new Map(), fromParent }
  const held = retries ? await heldRows(tx, schoolId) : []
  const byTable = new Map<Replicated, From[]>()
  const sort = (rows: readonly Incoming[], from: string | null) => {
    for (const { table, state, isPart = false } of rows) {
      const states = byTable.get(table)
      const own = { state, source: isPart ? null : from }
      if (states) states.push(own)
      else byTable.set(table, [own])
    }
  }
  // The sender of a held row is not stored: the row goes to everybody.
  sort(held.length === 0 ? [] : withoutSeen(held, incoming), null)
  sort(incoming, source)
  for (const table of tableOrder) await mergeTable(application, table, byTable.get(table) ?? [])
  for (const table of tableOrder) await writeTable(application, table)
  for (const table of tableOrder) await leaveParents(application, table)
  // Those that were written now, or that something newer covers.
  const released = held.filter((row) => application.answers.get(keyOfRow(row))?.outcome !== 'held')
  await leaveWaited(application, released)
  await removeDeleted(application)
  await dropHeld(tx, schoolId, released)
  if (retries) demandRoom(application, held.length)
  const conflicts = application.kept.filter(({ table }) => descriptions[table].scope !== 'commons')
  await applyTableRules(application, conflicts)
  // Held rows were just tried: they would lose the same again, without end.
  await keepConflicts(tx, schoolId, conflicts, { retries: false })
  if (fromParent) return []
  const asked = new Set(incoming.map(keyOfRow))
  return [...application.answers].filter(([key]) => asked.has(key)).map(([, answer]) => answer)
}

/** Keeps lost writes as conflicts. */
export async function keepConflicts(tx: WriteTx, schoolId: string, all: readonly Kept[], { retries = true } = {}): Promise<void> {
  const records = all.map((kept) => ({ table: 'sync_conflict' as const, state: conflictState(schoolId, SCHEMA_VERSION, kept) }))
  if (records.length > 0) await applyStates(tx, schoolId, records, { source: null, retries })
}

/**
 * Throws `QueueFull` where more rows are held than before and than may be (SPEC, B4): the page that brings new ones then waits at its
 * sender.
 */
function demandRoom({ answers }: Application, before: number): void {
  const waiting = [...answers.values()].filter(({ outcome }) => outcome === 'held').length
  if (waiting > before && waiting > limits.sync.heldRows) throw new QueueFull(waiting)
}

/**
 * The held rows, except those that come again in a state that has seen all of them: what was damaged on its way the first time must not
 * stay in the row.
 */
function withoutSeen(held: readonly Incoming[], incoming: readonly Incoming[]): Incoming[] {
  const come = new Map(incoming.map((row) => [keyOfRow(row), row.state.vv]))
  return held.filter((row) => {
    const seen = come.get(keyOfRow(row))
    return !seen || !Object.entries(row.state.vv).every((each) => covers(seen, each))
  })
}

const NOBODY: readonly Loser[] = []
type From = { state: RowState; source: string | null }

async function mergeTable(application: Application, table: Replicated, states: readonly From[]) {
  const { tx, schoolId, changes, kept, answers, fromParent } = application
  if (states.length === 0) return
  if (table === 'grade') await holdAssessments(tx, schoolId, states)
  const own = new Map<string, Change>()
  const known = await knownRows(tx, table, schoolId, [...new Set(states.map(({ state }) => state.id))])
  for (const { state, source } of states) {
    if (schoolOf(table, state, schoolId) !== schoolId) {
      await hold(application, table, state, 'it is of another school')
      continue
    }
    // What comes up was checked before it was judged.
    if ((fromParent || source === null) && !isSound(table, state)) {
      await hold(application, table, state, 'a value is not of its kind')
      continue
    }
    const before = known.get(state.id) ?? null
    // A lost row has no values to merge with: the pushed state stands as it is.
    const base = own.get(state.id)?.state ?? (before && !isLost(before) ? before.state : undefined)
    const met = base ? mergeRows(table, descriptions[table], base, state) : { state, losers: NOBODY }
    const merged =
      base && fromParent && met.losers.length === 0 && (isLater(state, base) || isStillThere(state, base)) ? { state, losers: NOBODY } : met
    // It could never stand beside the row that has the right id.
    if (
      merged.state.alive.length > 0 &&
      (!before?.row || isOfOther(table, before.row, merged.state.values)) &&
      hasWrongId(table, merged.state.values)
    ) {
      await hold(application, table, merged.state, 'another id follows from what it is of')
      continue
    }
    for (const loser of merged.losers) kept.push(keptFrom(table, state.id, loser))
    const isNew = !before || isLost(before) || !sameState(merged.state, before.state)
    const outcome: Outcome = !isNew ? 'unchanged' : sameState(merged.state, state) ? 'applied' : 'merged'
    if (!fromParent) answers.set(keyOfRow({ table, state }), { table, id: state.id, outcome })
    if (isNew || (fromParent && isLongerThere(state, merged.state)))
      own.set(state.id, { known: before, state: merged.state, settled: [], source: outcome === 'applied' ? source : null })
  }
  if (own.size > 0) changes.set(table, own)
}

/** The school that a row names; `asked` where it names none. A page brings rows of one school, whoever sent it. */
function schoolOf(table: Replicated, { id, values }: RowState, asked: string): unknown {
  const { scope } = descriptions[table]
  if (scope === 'self') return id
  return scope === 'school' ? (values['school_id'] ?? asked) : asked
}

/** Whether the row would be of something else than it is here, such as another pupil's mark or the account of another address. */
const isOfOther = (table: Replicated, row: AnyRow, values: Values): boolean =>
  descriptions[table].natural?.of.some((column) => (row[column] ?? null) !== (values[column] ?? null)) ?? false

/**
 * Whether the parent's state has seen all that is seen here. It is then the later one, even where a write stands in it that counts as seen
 * here: the parent does not take claims about writes that it cannot know.
 */
const isLater = (theirs: RowState, own: RowState): boolean => Object.entries(own.vv).every((each) => covers(theirs.vv, each))

/**
 * Whether the row bears the same writes at the parent, which has seen all that is seen here except dots of its own `alive`: it did not take
 * the claim that these were seen, since nobody can show it the writes any more. The row may be deleted here.
 */
function isStillThere(theirs: RowState, own: RowState): boolean {
  if (theirs.alive.length === 0 || !isSame(theirs.units, own.units)) return false
  const known = join(theirs.vv, Object.fromEntries(theirs.alive))
  return Object.entries(own.vv).every((each) => covers(known, each))
}

/**
 * Whether the parent's state is alike but has more dots in `alive`, which are covered here. These writes came to the parent after it was
 * told what covers them, and it takes no claim about writes that it does not know. So the row is told again.
 */
const isLongerThere = (theirs: RowState, own: RowState): boolean =>
  own.alive.length > 0 && theirs.alive.length > own.alive.length && isSame(theirs.units, own.units)

/** Locks the assessments of marks, as the routes do. Otherwise a mark and a maximum that come at once would not see each other. */
async function holdAssessments(tx: WriteTx, schoolId: string, marks: readonly From[]): Promise<void> {
  const ids = new Set(marks.flatMap(({ state }) => (state.values['assessment_id'] as string | undefined) ?? []))
  await lockedRows(tx, 'assessment', schoolId, [...ids])
}

/** Writes the living rows of one table; parent rows have been written before. Deleted ones wait for `removeDeleted`. */
async function writeTable(application: Application, table: Replicated): Promise<void> {
  if (table === BOOK) for (const change of application.changes.get(BOOK)?.values() ?? []) change.settled = settleBook(change.state)
  if (table === 'report_book_entry') await settleEntries(application)
  await settleUnique(application, table)
  const own = application.changes.get(table)
  if (!own) return
  await vacateLeaving(application, table, [...own.values()])
  let ready = await withParents(application, table, [...own.values()].filter(stands))
  const again = async () => {
    if (hasUniqueRule(table)) for (const change of own.values()) change.settled = []
    await settleUnique(application, table)
    ready = await withParents(application, table, [...own.values()].filter(stands))
    return ready
  }
  await writeRows(application, table, ready, { asKnown: true, again })
  const unknown = [...own.values()].filter((change) => !stands(change) && !change.known?.row)
  record(
    application,
    table,
    unknown.map((change) => syncRowOf(table, change, { isThere: false, source: change.source })),
  )
  for (const change of ready) keepClaims(application, table, change)
}

/** Settles the unique rules around the rows that change, for these and for others. `left`: rows that are here no more. */
async function settleUnique(application: Application, table: Replicated, left: readonly RowState[] = []): Promise<void> {
  const { tx, schoolId } = application
  if (!hasUniqueRule(table)) return
  const own = application.changes.get(table) ?? new Map<string, Change>()
  const changed = [...own.values()].map(({ state }) => state)
  const before = [...[...own.values()].flatMap(({ known }) => known?.state ?? []), ...left]
  if (before.length + changed.length === 0) return
  const { settled, concerned } = await settleUniqueRules(tx, table, schoolId, changed, before)
  const others = await knownRows(
    tx,
    table,
    schoolId,
    [...concerned.keys()].filter((id) => !own.has(id)),
  )
  for (const [id, reasons] of settled) {
    const change = own.get(id)
    if (change) change.settled = [...change.settled, ...reasons]
    else restand(own, others.get(id), reasons)
  }
  if (own.size > 0) application.changes.set(table, own)
}

/**
 * Writes the changed rows of one table outside of a page, removes the deleted ones, and writes whatever stands otherwise because of them.
 * `left`: as above.
 */
export async function writeOutsidePage(application: Application, table: Replicated, left: readonly RowState[] = []): Promise<void> {
  if (table === BOOK) await settleEntries(application)
  await settleUnique(application, table, left)
  const changes = [...(application.changes.get(table)?.values() ?? [])]
  if (table === BOOK) for (const change of changes.filter(stands)) change.settled = settleBook(change.state)
  await vacateLeaving(application, table, changes)
  const ready = await withParents(application, table, changes.filter(stands))
  await writeRows(application, table, ready)
  if (table === BOOK) await followBooks(application, ready)
  await leaveParents(application, table)
  await removeDeleted(application)
  const marked = table === 'grade' ? changes.flatMap(({ state }) => (state.values['assessment_id'] as string | undefined) ?? []) : []
  await settleMaxima(application, [...new Set([...(application.changes.get('assessment')?.keys() ?? []), ...marked])])
}

function vacateLeaving({ tx, schoolId }: Application, table: Replicated, changes: readonly Change[]): Promise<void> {
  const leaving = changes.filter((change) => !stands(change) && change.known?.row)
  return freeUniqueTexts(
    tx,
    table,
    schoolId,
    leaving.map(({ state }) => state.id),
  )
}
