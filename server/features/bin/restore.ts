import { binFailures } from '@markbook/shared/contract/bin'
import { fullName } from '@markbook/shared/domain/full-name'
import type { Failure, Issue } from '@markbook/shared/failures'
import { naturalId } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import type { Changes } from '@markbook/shared/tables/changes'
import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import type { Values } from '@markbook/sync/merge/state'
import { isReferenceViolation } from '../../store/errors.ts'
import { type DeletedRow, deletedWith, hangingOn, missingFor, writeAgain } from '../../store/replica/deleted.ts'
import type { RowName } from '../../store/replica/links.ts'
import { knownRows, rowsNaming } from '../../store/replica/states.ts'
import type { ReadTx } from '../../store/tx.ts'
import type { WriteContext } from '../policy.ts'
import { failureFor } from '../references.ts'
import { type InBin, isDeletion, transactionOf } from './bin.policy.ts'
import { classesByIds, deletionsAt, holdersOf, membersAmong, studentsByIds } from './bin.queries.ts'

const asList = (ids: readonly unknown[]) => JSON.stringify([...new Set(ids)])

/** Inserts the rows of a deletion again. Returns how many were restored, and how many were not. */
export async function restore({ tx, caller }: WriteContext, item: InBin): Promise<{ restored: number; left_out: number }> {
  const school = caller.school_id
  const entries = (await deletionsAt(tx, { school, at: item.at })).filter((each) => transactionOf(each) === transactionOf(item))
  const gone = entries
    .filter(isDeletion)
    .flatMap(({ entity, row_id: id, changes }) => (isTable(entity) ? [{ table: entity, id, told: valuesBefore(changes) }] : []))
  const all = await deletedWith(tx, school, { table: item.entity, id: item.row_id }, gone)
  const root = all.find(({ id }) => id === item.row_id)
  if (!root) throw binFailures.gone()
  const missing = await missingFor(tx, school, all)
  const isWithout = (table: Replicated) => (row: DeletedRow) => missing.get(row)?.some((parent) => parent.table === table)
  const withoutSet = all.filter((row) => row.table === 'teaching_set_member' && isWithout('teaching_set')(row))
  const out = hangingOn([...all.filter(isWithout('student')), ...withoutSet, ...(await ofPeopleWhoLeft(tx, school, all))], all)
  const rows = all.filter((row) => !out.has(row))
  await demandNothingInTheWay(tx, school, root, rows, missing)
  await writeAgain(tx, school, rows).catch(failureFor(isReferenceViolation, binFailures.inTheWay))
  if (root.table === 'student_group') await giveClassTeacher({ tx, caller }, root.values as Row<'student_group'>, rows)
  return { restored: rows.length, left_out: out.size }
}

const valuesBefore = (changes: Changes): Values => Object.fromEntries(Object.entries(changes).map(([name, { before }]) => [name, before]))

const isTable = (entity: string): entity is Replicated => Object.hasOwn(descriptions, entity)

/** Places in a class or a set of people who have left the school; these places ended with their membership. */
async function ofPeopleWhoLeft(tx: ReadTx, school: string, rows: readonly DeletedRow[]): Promise<DeletedRow[]> {
  const places = rows.filter(({ table }) => table === 'teacher_group_assignment' || table === 'teaching_set_teacher')
  if (places.length === 0) return []
  const ids = asList(places.map(({ values }) => values['user_profile_id']))
  const members = new Set((await membersAmong(tx, { school, ids })).map(({ user_id }) => user_id))
  return places.filter(({ values }) => !members.has(String(values['user_profile_id'])))
}

/** A class always has a class teacher: where the last one has left, the restoring person becomes it, as in a roll-over. */
async function giveClassTeacher({ tx, caller }: WriteContext, group: Row<'student_group'>, rows: readonly DeletedRow[]): Promise<void> {
  if (rows.some(({ table }) => table === 'class_teacher')) return
  const { id, school_id, academic_year_id } = group
  const place = { school_id, student_group_id: id, user_profile_id: caller.user_id }
  const own = naturalId('teacher_group_assignment', caller.user_id, id)
  if (!rows.some((row) => row.id === own)) await tx.insert('teacher_group_assignment', { ...place, academic_year_id })
  await tx.insert('class_teacher', { id, ...place })
}

type Obstacle = { code: string; message: string; values: Record<string, string> }
const inTheWay = ({ code, message, values }: Obstacle): Failure => {
  const issue: Issue = { path: 'id', code, message, values }
  return binFailures.inTheWay({ message, issues: [issue] })
}

/** Throws 409 with the first later change that prevents restoring a row. */
async function demandNothingInTheWay(
  tx: ReadTx,
  school: string,
  root: DeletedRow,
  rows: readonly DeletedRow[],
  missing: ReadonlyMap<DeletedRow, readonly RowName<Replicated>[]>,
): Promise<void> {
  const obstacle =
    (await missingParent(tx, school, rows, missing)) ??
    (await madeAgain(tx, school, rows)) ??
    (await takenName(tx, school, root)) ??
    (await fullYear(tx, school, root)) ??
    (await anotherYear(tx, school, root))
  if (obstacle) throw inTheWay(obstacle)
}

const KINDS: Partial<Record<Replicated, string>> = {
  academic_year: 'academic year',
  term: 'term',
  subject: 'subject',
  student_group: 'class',
  teaching_set: 'teaching set',
  assessment: 'assessment',
}

async function missingParent(
  tx: ReadTx,
  school: string,
  rows: readonly DeletedRow[],
  missing: ReadonlyMap<DeletedRow, readonly RowName<Replicated>[]>,
): Promise<Obstacle | null> {
  const [parent] = rows.flatMap((row) => missing.get(row) ?? [])
  if (!parent) return null
  const was = (await knownRows(tx, parent.table, school, [parent.id])).get(parent.id)?.state.values
  const name = String(was?.['name'] ?? was?.['title'] ?? '')
  const message = `The ${KINDS[parent.table] ?? 'row'} ${name} that it belongs to was deleted too. Restore that first.`
  return { code: `missing_${parent.table}`, message, values: { name } }
}

/** A row with a natural key may have been created again under its id: a pupil in another class, a report book. */
async function madeAgain(tx: ReadTx, school: string, rows: readonly DeletedRow[]): Promise<Obstacle | null> {
  const there = rows.find(({ known }) => known.row !== null)
  if (!there) return null
  const now = there.known.row as Values
  const [student] = await studentsByIds(tx, { school, ids: asList([now['student_id'] ?? null]) })
  const [group] = await classesByIds(tx, { school, ids: asList([now['student_group_id'] ?? null]) })
  const name = student ? fullName(student) : ''
  if (there.table === 'enrolment')
    return {
      code: 'enrolled',
      message: `${name} is in the class ${group?.name ?? ''} by now. Take them out of it first.`,
      values: { name, class: group?.name ?? '' },
    }
  return { code: 'made_again', message: `Something that went with it was made again since: ${name}`.trim(), values: { name } }
}

const HELD: Partial<Record<Replicated, { column: string; word: string; holders: typeof holdersOf.subject }>> = {
  subject: { column: 'code', word: 'subject has the code', holders: holdersOf.subject },
  student: { column: 'student_number', word: 'student has the number', holders: holdersOf.student },
  student_group: { column: 'name', word: 'class of that year has the name', holders: holdersOf.student_group },
  teaching_set: { column: 'name', word: 'set of that subject and year has the name', holders: holdersOf.teaching_set },
  term: { column: 'name', word: 'term of that year has the name', holders: holdersOf.term },
}

/** A unique code, number or name that another row has now. */
async function takenName(tx: ReadTx, school: string, { table, values }: DeletedRow): Promise<Obstacle | null> {
  const held = HELD[table]
  const name = held && values[held.column]
  if (!held || typeof name !== 'string') return null
  const within = { year: String(values['academic_year_id'] ?? ''), subject: String(values['subject_id'] ?? '') }
  if ((await held.holders(tx, { school, name, ...within })).length === 0) return null
  return { code: `taken_${table}`, message: `Another ${held.word} ${name} by now. Give that one another first.`, values: { name } }
}

const MOST_OF_YEAR: Partial<Record<Replicated, { code: string; word: string; most: number }>> = {
  term: { code: 'full_year', word: 'terms', most: limits.termsPerYear },
  teaching_set: { code: 'full_year_of_sets', word: 'teaching sets', most: limits.teachingSets.perYear },
}

/** A year that has reached its limit of terms or sets. */
async function fullYear(tx: ReadTx, school: string, { table, values }: DeletedRow): Promise<Obstacle | null> {
  const of = MOST_OF_YEAR[table]
  if (!of) return null
  const { length: count } = await rowsNaming(tx, table, school, 'academic_year_id', [values['academic_year_id']])
  if (count < of.most) return null
  const message = `That year has ${count} ${of.word} by now, and no room for another.`
  return { code: of.code, message, values: { count: String(count) } }
}

/** A year whose days have changed, or a term that was moved to another year. */
async function anotherYear(tx: ReadTx, school: string, { table, values }: DeletedRow): Promise<Obstacle | null> {
  if (table === 'term') {
    const [year] = (await rowsNaming(tx, 'academic_year', school, 'id', [values['academic_year_id']])) as Values[]
    const isWithin =
      year && String(values['start_date']) >= String(year['start_date']) && String(values['end_date']) <= String(year['end_date'])
    const name = String(year?.['name'] ?? '')
    return isWithin
      ? null
      : { code: 'outside_year', message: `The term lies outside the days of the year ${name} by now.`, values: { name } }
  }
  const set = values['teaching_set_id'] ?? null
  if (table !== 'assessment' || (values['student_group_id'] === null && set === null)) return null
  const [term] = (await rowsNaming(tx, 'term', school, 'id', [values['term_id']])) as Values[]
  const [of, id] = set === null ? (['student_group', values['student_group_id']] as const) : (['teaching_set', set] as const)
  const [group] = (await rowsNaming(tx, of, school, 'id', [id])) as Values[]
  if (term?.['academic_year_id'] === group?.['academic_year_id']) return null
  const name = String(group?.['name'] ?? '')
  if (set !== null)
    return { code: 'other_year_of_set', message: `Its term is of another year than its teaching set ${name} by now.`, values: { name } }
  return { code: 'other_year', message: `Its term is of another year than its class ${name} by now.`, values: { name } }
}
