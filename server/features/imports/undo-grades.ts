import type { Row } from '@markbook/shared/tables/tables'
import { rowsById } from '../../store/replica/states.ts'
import { lockedAssessment } from '../assessments/assessments.policy.ts'
import { gradeRights, type MayWrite } from '../grades/grades.policy.ts'
import { writableBefore } from '../history/history.policy.ts'
import type { WriteContext } from '../policy.ts'
import { studentsOfSchoolInYear } from './imports.queries.ts'
import { type Entry, isOfImport, type Kept, nothingYet, rowsNow, type Undoing } from './undoing.ts'

type Assessment = Row<'assessment'>
type Grade = Row<'grade'>

/** The still existing assessments in which an import wrote marks, locked, with the caller's rights in each. */
export type GradesWritten = ReadonlyMap<string, { assessment: Assessment; mayWrite: MayWrite }>

/**
 * Throws 403 where the caller has no right to write grades of one of them any more. Marks of deleted assessments were deleted with them.
 */
export async function gradesWritten(context: WriteContext, entries: readonly Entry[]): Promise<GradesWritten> {
  const { tx, caller } = context
  const ids = [...new Set(entries.map(({ near_id }) => near_id))].sort()
  const written = new Map<string, { assessment: Assessment; mayWrite: MayWrite }>()
  for (const { id } of (await rowsById(tx, 'assessment', caller.school_id, ids)).sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const assessment = await lockedAssessment(context, id)
    written.set(id, { assessment, mayWrite: await (await gradeRights(context, assessment)).bySet() })
  }
  return written
}

/** Undoes the marks that an import recorded and changed. */
export async function undoGrades({ tx, caller }: WriteContext, entries: readonly Entry[], written: GradesWritten): Promise<Undoing> {
  const school = caller.school_id
  const undoing = nothingYet()
  const grades = [...(await rowsNow(tx, 'grade', school, entries)).values()]
  const entryOf = new Map(entries.map((entry) => [entry.row_id, entry]))
  const ids = [...new Set(grades.map(({ student_id }) => student_id))]
  const students = new Map((await rowsById(tx, 'student', school, ids)).map((row) => [row.id, row]))
  const groupOf = new Map<string, string | null>()
  for (const term of new Set(grades.map(({ term_id }) => term_id)))
    for (const { id, group_id } of await studentsOfSchoolInYear(tx, { school, term })) groupOf.set(`${term} ${id}`, group_id)

  const whyKept = (grade: Grade, entry: Entry): Kept['why'] | null => {
    const place = written.get(grade.assessment_id)
    if (!place?.mayWrite({ id: grade.student_id, group_id: groupOf.get(`${grade.term_id} ${grade.student_id}`) ?? null })) return 'rights'
    // A score and a code are one mark: a mark that got a code since counts as changed.
    if (!isOfImport(entry, grade) || grade.status !== (entry.changes['status']?.after ?? null)) return 'changed'
    if (entry.action === 'create') return null
    const said = writableBefore('grade', entry, grade)
    if (!said) return 'changed'
    return Number(said['score'] ?? 0) > place.assessment.max_score ? 'maximum' : null
  }
  for (const grade of grades) {
    const entry = entryOf.get(grade.id) as Entry
    const why = whyKept(grade, entry)
    const student = students.get(grade.student_id)
    const name = `${student?.['first_name']} ${student?.['last_name']}, ${written.get(grade.assessment_id)?.assessment.title}`
    if (why) undoing.kept.push({ entity: 'grade', row_id: grade.id, name, why })
    else if (entry.action === 'create') undoing.removed.grade.push(grade)
    else undoing.restored.grade.push({ before: grade, patch: writableBefore('grade', entry, grade) ?? {} })
  }
  return undoing
}
