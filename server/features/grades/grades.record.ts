import { gradeFailures } from '@markbook/shared/contract/grades'
import type { Issue } from '@markbook/shared/failures'
import { naturalId } from '@markbook/shared/ids'
import type { Row } from '@markbook/shared/tables/tables'
import { isUniqueViolation } from '../../store/errors.ts'
import type { WriteTx } from '../../store/tx.ts'
import { orGone } from '../references.ts'
import type { Sitter } from './grades.policy.ts'
import { gradesOfStudents } from './grades.queries.ts'

type Assessment = Row<'assessment'>
type Grade = Row<'grade'>
/** What a request says of one student; `remarks` absent leaves them as they are. */
export type Mark = { score: number; remarks?: string | null | undefined }

/** A score of at most the assessment's maximum, else 400; `paths` says where each score stood in the request. */
export function demandWithinMaximum({ max_score }: Assessment, marks: readonly Mark[], pathOf = (_at: number) => 'score'): void {
  const issues = marks.flatMap(({ score }, at): Issue[] =>
    score > max_score ? [{ path: pathOf(at), message: `must be at most ${max_score}, the maximum of the assessment` }] : [],
  )
  if (issues.length > 0) throw gradeFailures.aboveMaximum({ issues })
}

/** An assessment of one class takes only that class's students, else 400 for the whole request (decisions §4). */
export function demandInClassOf({ student_group_id }: Assessment, sitters: readonly Sitter[], pathOf = (_at: number) => 'studentId'): void {
  if (student_group_id === null) return
  const issues = sitters.flatMap(({ group_id }, at): Issue[] =>
    group_id === student_group_id ? [] : [{ path: pathOf(at), message: 'is not in the class of this assessment' }],
  )
  if (issues.length > 0) throw gradeFailures.outsideClass({ issues })
}

const columnsOf = ({ score, remarks }: Partial<Mark>) => ({
  ...(score !== undefined && { score }),
  ...(remarks !== undefined && { remarks }),
})

const rowFor = (assessment: Assessment, student: string, mark: Mark) => ({
  id: naturalId('grade', assessment.id, student),
  school_id: assessment.school_id,
  assessment_id: assessment.id,
  term_id: assessment.term_id,
  student_id: student,
  is_excluded: false,
  exclusion_reason: null,
  remarks: null,
  ...columnsOf(mark),
  score: mark.score,
})

export async function createGrade(tx: WriteTx, assessment: Assessment, student: string, mark: Mark): Promise<Grade> {
  const known = await gradesOfStudents(tx, { school: assessment.school_id, assessment: assessment.id, ids: JSON.stringify([student]) })
  if (known.length > 0) throw gradeFailures.alreadyExists()
  const [grade] = await tx
    .insert('grade', [rowFor(assessment, student, mark)])
    .catch((error) => {
      throw isUniqueViolation(error) ? gradeFailures.alreadyExists() : error
    })
    .catch(orGone)
  return grade as Grade
}

export async function changeGrade(tx: WriteTx, before: Grade, mark: Partial<Mark>): Promise<Grade> {
  const [grade] = await tx.update('grade', [{ before, patch: columnsOf(mark) }])
  return grade as Grade
}

/**
 * Writes marks of students in an assessment that the transaction holds: who has a grade gets it changed, the others get one.
 * The number of statements does not grow with the number of marks, and equal values write nothing. Answers the rows in order.
 */
export async function recordGrades(
  tx: WriteTx,
  assessment: Assessment,
  marks: readonly (Mark & { studentId: string })[],
): Promise<Grade[]> {
  const ids = JSON.stringify(marks.map(({ studentId }) => studentId))
  const known = await gradesOfStudents(tx, { school: assessment.school_id, assessment: assessment.id, ids })
  const knownByStudent = new Map(known.map((grade) => [grade.student_id, grade]))
  const absent = marks.filter(({ studentId }) => !knownByStudent.has(studentId))
  const inserted = await tx
    .insert(
      'grade',
      absent.map((mark) => rowFor(assessment, mark.studentId, mark)),
    )
    .catch(orGone)
  const changes = marks.flatMap((mark) => {
    const before = knownByStudent.get(mark.studentId)
    return before ? [{ before, patch: columnsOf(mark) }] : []
  })
  const rowByStudent = new Map([...inserted, ...(await tx.update('grade', changes))].map((grade) => [grade.student_id, grade]))
  return marks.flatMap(({ studentId }) => rowByStudent.get(studentId) ?? [])
}
