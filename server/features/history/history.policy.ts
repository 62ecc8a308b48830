import type { Area } from '@markbook/shared/domain/access'
import { common } from '@markbook/shared/failures'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { parsedDetail } from '@markbook/sync/journal'
import { isWritable } from '../../replication/scope/normal-form.ts'
import { knownRows } from '../../store/replica/states.ts'
import { nearIdOf } from '../../store/row-changes.ts'
import type { ReadTx } from '../../store/tx.ts'
import { demandInClass, type PolicyContext } from '../policy.ts'
import { type Entity, type Entry, entriesOfRow, liveRows, placesOfRow } from './history.queries.ts'

type Values = Readonly<Record<string, unknown>>
/** A row's history: its entries, newest first, and its values; those before the deletion where it was deleted. */
export type Past = { entries: Awaited<ReturnType<typeof entriesOfRow>>; values: Values; isLive: boolean }

/** The clustering keys of a row's history: its own id, and that of `near` by its values; for a deleted row by its tombstone, else by its entries. */
async function placesOf(tx: ReadTx, school: string, entity: Entity, id: string, live: Values | undefined): Promise<string[]> {
  if (!descriptions[entity].near) return [id]
  if (live) return [nearIdOf(entity, { ...live, id }), id]
  const last = (await knownRows(tx, entity, school, [id])).get(id)?.state.values
  if (last) return [nearIdOf(entity, { ...last, id }), id]
  const { floor } = await tx.dialect.feedOf(tx.connection, school)
  return floor === 0 ? [id] : (await placesOfRow(tx, { school, row: id })).map(({ near }) => near)
}

/** The history of a row of a school; undefined where the school never had such a row. */
async function pastOf(tx: ReadTx, school: string, entity: Entity, id: string): Promise<Past | undefined> {
  const [live] = (await liveRows[entity](tx, { school, id })) as (Values | undefined)[]
  const near = JSON.stringify(await placesOf(tx, school, entity, id, live))
  const all = await entriesOfRow(tx, { school, entity, row: id, near })
  // A row that was stamped anew has an extra entry, which repeats another.
  const entries = all.filter(({ detail }) => detail === null || !parsedDetail(detail)?.again)
  if (live) return { entries, values: live, isLive: true }
  if (entries.length === 0) return undefined
  return { entries, values: await lastValues(tx, school, entity, id, entries), isLive: false }
}

/**
 * The last values of a deleted row: those of its tombstone. Only once that is forgotten the entries say them, since what a laptop tells of
 * its history is not compared with its rows.
 */
async function lastValues(tx: ReadTx, school: string, entity: Entity, id: string, entries: Past['entries']): Promise<Values> {
  const known = (await knownRows(tx, entity, school, [id])).get(id)
  if (known) return known.state.values
  const remembered = [...entries].reverse().flatMap(({ changes }) => Object.entries(changes))
  return Object.fromEntries(remembered.map(([name, { before, after }]) => [name, after ?? before]))
}

/**
 * What an entry says that the row was before, in the columns that people write; null where the interface would refuse that: whoever has a
 * laptop's key signs any history. `row`: the row as it stands, if it does.
 */
export function writableBefore(table: Replicated, { changes }: Pick<Entry, 'changes'>, row: Values = {}): Values | null {
  const columns = Object.values(descriptions[table].units).flat()
  const told = columns.filter((column) => column in changes)
  const before = Object.fromEntries(told.map((column) => [column, changes[column]?.before]))
  return isWritable(table, { ...row, ...before }, told) ? before : null
}

type Reader = (context: PolicyContext, values: Values, id: string) => Promise<unknown>

/** No further check: teachers and administrators may read such rows, and the endpoint's guard admits nobody else. */
const staff: Reader = async () => {}
const admin: Reader = async ({ caller }) => {
  if (caller.role !== 'admin') throw common.adminOnly()
}
/** Requires the right `area` in the class; for a deleted class only administrators have it. */
const inClass =
  (area: Area): Reader =>
  (context, values) =>
    demandInClass(context, area, values['student_group_id'] as string)
const entryOfBook: Reader = async (context, values, id) => {
  const book = await pastOf(context.tx, context.caller.school_id, 'report_book', values['report_book_id'] as string)
  return book ? readers.report_book(context, book.values, id) : admin(context, values, id)
}

const readers: Record<Entity, Reader> = {
  school: admin,
  academic_year: staff,
  active_year: staff,
  term: staff,
  subject: staff,
  grading_scale: staff,
  assessment_category: staff,
  student: staff,
  assessment: staff,
  grade: staff,
  student_group: (context, _values, id) => demandInClass(context, 'readClass', id),
  class_teacher: inClass('readClass'),
  enrolment: inClass('readClass'),
  teacher_group_assignment: inClass('readClass'),
  teacher_subject_assignment: inClass('readClass'),
  student_subject: inClass('readClass'),
  teaching_set: staff,
  teaching_set_teacher: staff,
  teaching_set_member: staff,
  attendance_register: inClass('readClass'),
  attendance_mark: inClass('readClass'),
  report_book: inClass('reports'),
  report_book_entry: entryOfBook,
}

/** The history of a row that the caller may read: 404 where the school never had it, 403 where the caller may not read it. */
export async function readablePast(context: PolicyContext, entity: Entity, id: string | undefined): Promise<Past> {
  const past = id === undefined ? undefined : await pastOf(context.tx, context.caller.school_id, entity, id)
  if (!past || id === undefined) throw common.notFound()
  await readers[entity](context, past.values, id)
  return past
}

const equal = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

/** Whether a row still has the values that an entry wrote: for a change its fields, for a creation every field, including empty ones. */
export function isAsWritten({ entity, action, changes }: Entry, row: Values): boolean {
  if (action !== 'create') return Object.entries(changes).every(([name, { after }]) => equal(row[name], after))
  return Object.values(descriptions[entity as Entity].units)
    .flat()
    .every((name) => equal(row[name], changes[name]?.after))
}
