import { type GradedAssessment, gradeFailures, grades } from '@markbook/shared/contract/grades'
import { letterForScore } from '@markbook/shared/domain/letters'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { type Handlers, on, onEvents } from '../../http/handler.ts'
import type { ReadTx } from '../../store/tx.ts'
import { assessmentsOf, exclusionAfter, lockedAssessment } from '../assessments/assessments.policy.ts'
import { gradingScaleOfTerm } from '../grading-scale/grading-scale.policy.ts'
import { classOf, rowOf, termOf } from '../policy.ts'
import { subjectOf } from '../references.ts'
import { readableSet } from '../teaching-sets/teaching-sets.policy.ts'
import { changeGrade, createGrade, demandFor, gradedStudentsFor, gradeRights, lockedGrade, recordGrades } from './grades.policy.ts'
import { gradesOfAssessment, gradesOfSubject } from './grades.queries.ts'
import { followMarks } from './live-marks.ts'

/** Adds letters by the present scale of the assessment's year. */
async function lettered<R extends { score: number | null }>(tx: ReadTx, assessment: Row<'assessment'>, rows: readonly R[]) {
  const scale = await gradingScaleOfTerm(tx, assessment)
  if (!scale) throw common.notFound()
  return rows.map((row) => ({
    ...row,
    letter_grade: (row.score !== null && letterForScore(scale, row.score, assessment.max_score)?.letter) || null,
  }))
}

async function letteredOne(tx: ReadTx, assessment: Row<'assessment'>, row: Row<'grade'>) {
  const [grade] = await lettered(tx, assessment, [row])
  return grade as Row<'grade'> & { letter_grade: string | null }
}

const withStudent = <R extends { student_id: string; first_name: string; last_name: string }>(row: R) => ({
  ...row,
  student: { id: row.student_id, first_name: row.first_name, last_name: row.last_name },
})

type ListedGrade = GradedAssessment['grades'][number]

export const gradeHandlers: Handlers<typeof grades> = {
  list: on(grades.list, {
    load: (context, { targets }) => rowOf(context, 'assessment', targets['assessmentId']),
    run: async ({ tx }, _input, assessment) => {
      const rows = await gradesOfAssessment(tx, { school: assessment.school_id, assessment: assessment.id })
      return (await lettered(tx, assessment, rows)).map(withStudent)
    },
  }),

  byTerm: on(grades.byTerm, {
    load: async (context, { targets }) => {
      await termOf(context, targets['termId'])
      await subjectOf(context, targets['subjectId'])
    },
    run: async ({ tx, caller }, { query }) => {
      const of = { school: caller.school_id, term: query.termId, subject: query.subjectId }
      const shown = (await assessmentsOf(tx, of)).map((assessment) => ({ ...assessment, grades: [] as ListedGrade[] }))
      const byId = new Map(shown.map((assessment) => [assessment.id, assessment]))
      for (const { status, ...grade } of await gradesOfSubject(tx, of))
        byId.get(grade.assessment_id)?.grades.push({ ...withStudent(grade), ...(status !== null && { status }) })
      return shown
    },
  }),

  events: onEvents(grades.events, {
    load: async (context, { targets: { termId, subjectId, studentGroupId, teachingSetId } }) => {
      const term = await termOf(context, termId)
      const subject = await subjectOf(context, subjectId)
      const of = { caller: context.caller, term: term.id, subject: subject.id }
      if (teachingSetId !== undefined) return { ...of, set: (await readableSet(context, teachingSetId)).id }
      return { ...of, group: (await classOf(context, 'readClass', studentGroupId)).group.id }
    },
    follow: followMarks,
  }),

  create: on(grades.create, {
    load: async (context, { targets }) => {
      const { assessmentId, studentId } = targets
      const assessment = await lockedAssessment(context, assessmentId)
      const rights = await gradeRights(context, assessment)
      return {
        assessment,
        gradedStudents: await gradedStudentsFor(context, assessment, rights, studentId === undefined ? [] : [studentId]),
      }
    },
    run: async ({ tx }, { body }, { assessment, gradedStudents }) => {
      await demandFor(tx, assessment, gradedStudents)
      const { assessmentId: _, studentId, ...said } = body
      return letteredOne(tx, assessment, await createGrade(tx, assessment, studentId, said))
    },
  }),

  bulk: on(grades.bulk, {
    load: async (context, { targets }) => {
      const assessment = await lockedAssessment(context, targets['assessmentId'])
      return { assessment, rights: await gradeRights(context, assessment) }
    },
    run: async (context, { body }, { assessment, rights }) => {
      const ids = body.grades.map(({ studentId }) => studentId)
      const gradedStudents = await gradedStudentsFor(context, assessment, rights, ids)
      await demandFor(context.tx, assessment, gradedStudents, (at) => `grades.${at}.studentId`)
      return lettered(context.tx, assessment, await recordGrades(context.tx, assessment, body.grades))
    },
  }),

  update: on(grades.update, {
    load: (context, { params }) => lockedGrade(context, params.id),
    run: async ({ tx }, { body }, { assessment, grade }) => letteredOne(tx, assessment, await changeGrade(tx, assessment, grade, body)),
  }),

  exclude: on(grades.exclude, {
    load: (context, { params }) => lockedGrade(context, params.id),
    run: async ({ tx }, { body }, { assessment, grade }) => {
      const updated = await tx.update('grade', grade, exclusionAfter(grade, body))
      return letteredOne(tx, assessment, updated)
    },
  }),

  remove: on(grades.remove, {
    load: (context, { params }) => lockedGrade(context, params.id),
    run: async ({ tx }, { query }, { grade }) => {
      const isSeen = (['score', 'status'] as const).every((field) => query[field] === undefined || query[field] === grade[field])
      if (!isSeen) throw gradeFailures.changedMeanwhile()
      await tx.remove('grade', [grade])
      return { message: 'The grade was removed.' }
    },
  }),
}
