import { fold, searchTerm } from '@markbook/shared/domain/fold'
import type { Issue } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import type { Change } from '../../store/tx.ts'
import { fault } from './faults.ts'
import { type PlannedReport, type ReportRow, reportOf, unreadColumns } from './import-report.ts'
import { pupilIndex } from './pupil-index.ts'
import type { PupilFields, PupilRow, PupilTable } from './pupil-rows.ts'

type Student = Row<'student'>
type Group = Row<'student_group'>

/** The school's present state; `year` is null where no year is active and none was named. */
export type SchoolNow = {
  schoolId: string
  students: readonly Student[]
  year: Row<'academic_year'> | null
  classes: readonly Group[]
  enrolments: readonly Pick<Row<'enrolment'>, 'student_id' | 'student_group_id'>[]
}
export type StudentsPlan = {
  report: PlannedReport
  created: Student[]
  changed: Change<'student'>[]
  enrolled: { studentId: string; group: Group }[]
}

/** Finds a class by its name as written, else by the only one that differs just in case and accents. */
function classFinder({ year, classes }: SchoolNow) {
  const known = new Map<string, Group | Issue>(classes.map((group) => [group.name, group]))
  const search = (name: string): Group | Issue => {
    if (!year) return fault('class', 'no_year')
    const [alike, another] = classes.filter((group) => fold(group.name.trim()) === fold(name))
    return alike && !another ? alike : fault('class', 'no_class', { name, year: year.name })
  }
  return (name: string): Group | Issue => {
    const found = known.get(name) ?? search(name)
    known.set(name, found)
    return found
  }
}

const isIssue = (found: Group | Issue): found is Issue => 'path' in found

const missingOfNew = ({ first_name, last_name, gender }: PupilFields): Issue[] =>
  Object.entries({ first_name, last_name, gender })
    .filter(([, value]) => value === undefined)
    .map(([path]) => fault(path, 'required'))

/** The first issue of each column: an unreadable name is not reported as missing as well. */
const onceEach = (issues: readonly Issue[]): Issue[] => issues.filter(({ path }, at) => issues.findIndex((one) => one.path === path) === at)

/** Notes where a number would rename a pupil entirely: it may be a wrong number. Changing a part of a name is usual. */
function renamed(before: Student, after: Student): Issue[] {
  const isSame = (part: 'first_name' | 'last_name') => searchTerm(before[part]) === searchTerm(after[part])
  if (isSame('first_name') || isSame('last_name')) return []
  return [fault('student_number', 'renames', { name: `${before.last_name}, ${before.first_name}` })]
}

/** Plans the import of a table, row by row, without writing. Rows depend on those before them. */
export function planStudents({ rows, unread }: PupilTable, now: SchoolNow, newId: () => string): StudentsPlan {
  const index = pupilIndex(now.students)
  const classOf = classFinder(now)
  const groupIdOf = new Map(now.enrolments.map(({ student_id, student_group_id }) => [student_id, student_group_id]))
  const rowOf = new Map<string, number>()
  const plan: Omit<StudentsPlan, 'report'> = { created: [], changed: [], enrolled: [] }

  const placeOf = (className: string | undefined, studentId: string | null): Group | Issue | undefined => {
    if (className === undefined) return undefined
    const group = classOf(className)
    const present = studentId === null ? undefined : groupIdOf.get(studentId)
    if (isIssue(group) || present === undefined) return group
    if (present === group.id) return undefined
    const name = now.classes.find(({ id }) => id === present)?.name ?? ''
    return fault('class', 'other_class', { name })
  }

  const planRow = ({ row, fields, className, issues }: PupilRow): ReportRow => {
    const match = index.match(fields)
    const known = match.kind === 'known' ? match.pupil : null
    const isByName = match.kind === 'known' && match.byName === true
    const earlier = known && rowOf.get(known.id)
    const place = placeOf(className, known?.id ?? null)
    const found = onceEach([
      ...issues,
      ...(match.kind === 'unclear' ? [match.issue] : []),
      ...(earlier && isByName ? [fault('last_name', 'same_name', { row: earlier })] : []),
      ...(earlier && !isByName ? [fault(fields.student_number ? 'student_number' : 'last_name', 'again', { row: earlier })] : []),
      ...(match.kind === 'new' ? missingOfNew(fields) : []),
      ...(place && isIssue(place) ? [place] : []),
    ])
    if (found.length > 0 || (place && isIssue(place))) return { row, action: 'error', issues: found }
    const after = known ? { ...known, ...fields } : newStudent(fields, newId(), now.schoolId)
    rowOf.set(after.id, row)
    if (place) plan.enrolled.push({ studentId: after.id, group: place })
    if (!known) {
      index.put(after)
      plan.created.push(after)
      return { row, action: 'create', issues: [] }
    }
    const differs = Object.entries(fields).some(([name, value]) => known[name as keyof PupilFields] !== value)
    if (differs) {
      index.replace(known, after)
      plan.changed.push({ before: known, patch: fields })
    }
    return {
      row,
      action: differs || place ? 'update' : 'unchanged',
      issues: isByName ? [fault('last_name', 'by_name')] : renamed(known, after),
    }
  }

  const report = reportOf(rows.map(planRow), { errors: [], notes: unreadColumns(unread) })
  return { ...plan, report }
}

const newStudent = (fields: PupilFields, id: string, school_id: string) =>
  ({ date_of_birth: null, enrollment_date: null, student_number: null, ...fields, id, school_id, is_active: true }) as Student
