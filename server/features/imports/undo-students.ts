import { fullName } from '@markbook/shared/domain/full-name'
import type { Row } from '@markbook/shared/tables/tables'
import { linksTo } from '../../store/replica/links.ts'
import { rowsNaming } from '../../store/replica/states.ts'
import type { ReadTx } from '../../store/tx.ts'
import { writableBefore } from '../history/history.policy.ts'
import type { WriteContext } from '../policy.ts'
import { rowsWritten } from './imports.queries.ts'
import { type Entry, isOfImport, type Kept, nothingYet, rowsNow, type Undoing } from './undoing.ts'

type Student = Row<'student'>
type Enrolment = Row<'enrolment'>
type Hanging = Readonly<Record<string, unknown>> & { id: string; table: string }

/** All rows that name one of these pupils, by pupil. */
async function hangingOn(tx: ReadTx, school: string, ids: readonly string[]): Promise<Map<string, Hanging[]>> {
  const found = new Map<string, Hanging[]>()
  for (const { child, columns } of linksTo('student')) {
    const [column] = columns
    for (const row of await rowsNaming(tx, child, school, column as string, ids)) {
      const id = row[column as string] as string
      const own = found.get(id) ?? []
      own.push({ ...row, table: child })
      found.set(id, own)
    }
  }
  return found
}

const isResult = ({ table }: Hanging) => table === 'grade' || table === 'report_book'

/** Undoes the pupils that an import created and changed, and their places in classes. */
export async function undoStudents({ tx, caller }: WriteContext, entries: readonly Entry[]): Promise<Undoing> {
  const school = caller.school_id
  const students = await rowsNow(tx, 'student', school, entries)
  const places = await rowsNow(tx, 'enrolment', school, entries)
  const entryOf = new Map(entries.map((entry) => [entry.row_id, entry]))
  const isOwnPlace = ({ table, id }: Hanging) => {
    const [entry, row] = [entryOf.get(id), places.get(id)]
    return table === 'enrolment' && entry !== undefined && row !== undefined && isOfImport(entry, row)
  }
  const undoing = nothingYet()
  const made = new Set(entries.filter(({ entity, action }) => entity === 'student' && action === 'create').map(({ row_id }) => row_id))
  const concerned = [...new Set([...students.keys(), ...[...places.values()].map(({ student_id }) => student_id)])]
  const hanging = await hangingOn(tx, school, concerned)
  const keep = (student: Student, why: Kept['why']) =>
    undoing.kept.push({ entity: 'student', row_id: student.id, name: fullName(student), why })

  for (const [id, student] of students) {
    const entry = entryOf.get(id) as Entry
    const said = made.has(id) ? {} : writableBefore('student', entry, student)
    const others = made.has(id) ? (hanging.get(id) ?? []).filter((row) => !isOwnPlace(row)) : []
    if (!said || !isOfImport(entry, student)) keep(student, 'changed')
    else if (others.some(isResult)) keep(student, 'results')
    else if (others.length > 0) keep(student, 'used')
    else if (made.has(id)) undoing.removed.student.push(student)
    else undoing.restored.student.push({ before: student, patch: said })
  }
  await undoPlaces(tx, { undoing, entryOf, hanging, places: [...places.values()].filter(({ student_id }) => !made.has(student_id)) })
  return undoing
}

type Places = {
  undoing: Undoing
  entryOf: ReadonlyMap<string, Entry>
  hanging: ReadonlyMap<string, Hanging[]>
  places: readonly Enrolment[]
}

/**
 * Undoes the places of pupils who existed before the import; a place stays where the pupil has got marks, a report or subjects there
 * since.
 */
async function undoPlaces(tx: ReadTx, { undoing, entryOf, hanging, places }: Places): Promise<void> {
  const [any] = places
  if (!any) return
  const school = any.school_id
  const years = [...new Set(places.map(({ academic_year_id }) => academic_year_id))]
  const yearOf = new Map(
    (await rowsNaming(tx, 'term', school, 'academic_year_id', years)).map((term) => [term.id, term['academic_year_id']]),
  )
  const ids = JSON.stringify(places.map(({ student_id }) => student_id))
  const named = new Map((await rowsWritten.student(tx, { school, ids })).map((student) => [student.id, fullName(student)]))
  for (const place of places) {
    const entry = entryOf.get(place.id) as Entry
    const own = hanging.get(place.student_id) ?? []
    const isSince = (row: Hanging) => String(row['created_at']) >= entry.at
    const hasMarks = own.some(
      (row) => row.table === 'grade' && yearOf.get(String(row['term_id'])) === place.academic_year_id && isSince(row),
    )
    const inClass = own.filter((row) => row['student_group_id'] === place.student_group_id && row.table !== 'enrolment')
    const why = !isOfImport(entry, place) ? 'changed' : hasMarks || inClass.some(isResult) ? 'results' : inClass.length > 0 ? 'used' : null
    const name = named.get(place.student_id) ?? ''
    if (why) undoing.kept.push({ entity: 'enrolment', row_id: place.id, name, why })
    else undoing.removed.enrolment.push(place)
  }
}
