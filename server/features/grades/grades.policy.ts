import { gradeFailures } from '@markbook/shared/contract/grades'
import { may } from '@markbook/shared/domain/access'
import { common, type Issue } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { heldAssessment } from '../assessments/assessments.policy.ts'
import { teachingInYear } from '../assessments/assessments.queries.ts'
import { type Asker, type ClassFacts, factsAbout } from '../policy.ts'
import { gradeById, studentsInYear } from './grades.queries.ts'

type Assessment = Row<'assessment'>
/** A student and their class in the year of the assessment. */
export type Sitter = { id: string; group_id: string | null }
/** Whether the caller may write the grades of students of a class; null for a student of no class. */
export type GradeRights = (groupId: string | null) => boolean

const nothing: ClassFacts = { teachesClass: false, isClassTeacher: false, subjectIds: new Set() }

async function classesTaught({ tx, caller }: Asker, assessment: Assessment): Promise<Map<string, ClassFacts>> {
  const rows = await teachingInYear(tx, { school: caller.school_id, user: caller.user_id, term: assessment.term_id })
  const classes = new Map<string, ClassFacts>()
  for (const { group_id, class_teacher_id, subject_id } of rows) {
    const subjects = [...(classes.get(group_id)?.subjectIds ?? []), ...(subject_id === null ? [] : [subject_id])]
    classes.set(group_id, { teachesClass: true, isClassTeacher: class_teacher_id === caller.user_id, subjectIds: new Set(subjects) })
  }
  return classes
}

/**
 * What the caller may write in an assessment; 403 where there is no class whose students' grades in it are theirs to write, so
 * that a stranger to the subject hears of it before anything else (decisions §1, order of checks).
 */
export async function gradeRights(asker: Asker, assessment: Assessment): Promise<GradeRights> {
  const { caller } = asker
  if (caller.role === 'admin') return () => true
  const classes = await classesTaught(asker, assessment)
  const mayWrite: GradeRights = (groupId) => {
    const facts = groupId === null ? undefined : classes.get(groupId)
    return may('writeGrades', factsAbout(caller, facts ?? nothing, assessment.subject_id))
  }
  if (![...classes.keys()].some(mayWrite)) throw gradeFailures.notYourSubject()
  return mayWrite
}

/** The students, in the order asked: 404 where one is absent or another school's, 403 where one's grade is not the caller's to write. */
export async function sittersFor({ tx }: Asker, assessment: Assessment, mayWrite: GradeRights, ids: readonly string[]): Promise<Sitter[]> {
  const found = await studentsInYear(tx, { school: assessment.school_id, term: assessment.term_id, ids: JSON.stringify(ids) })
  const byId = new Map(found.map((student) => [student.id, student]))
  const sitters = ids.flatMap((id) => byId.get(id) ?? [])
  if (sitters.length !== ids.length) throw common.notFound()
  const issues = sitters.flatMap((sitter, at): Issue[] =>
    mayWrite(sitter.group_id) ? [] : [{ path: `grades.${at}.studentId`, message: 'is not in a class where you teach this subject' }],
  )
  if (issues.length > 0) throw gradeFailures.notYourSubject(ids.length > 1 ? { issues } : {})
  return sitters
}

export type HeldGrade = { assessment: Assessment; grade: Row<'grade'> }

/** A grade that the caller may write, locked after its assessment. */
export async function heldGrade(asker: Asker, id: string): Promise<HeldGrade> {
  const { tx, caller } = asker
  const [known] = await gradeById(tx, { school: caller.school_id, id })
  if (!known) throw common.notFound()
  const assessment = await heldAssessment(asker, known.assessment_id)
  const grade = await tx.find('grade', caller.school_id, id)
  if (!grade) throw common.notFound()
  await sittersFor(asker, assessment, await gradeRights(asker, assessment), [grade.student_id])
  return { assessment, grade }
}
