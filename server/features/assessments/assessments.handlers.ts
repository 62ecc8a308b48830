import { type AssessmentInput, assessmentFailures, assessments } from '@markbook/shared/contract/assessments'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { type Handlers, on } from '../../http/handler.ts'
import type { WriteTx } from '../../store/tx.ts'
import { type Asker, rowOf } from '../policy.ts'
import { orGone } from '../references.ts'
import { demandMayWrite, heldAssessment, subjectOf, termOf } from './assessments.policy.ts'
import { assessmentsOfClass, assessmentsOfSubject, gradeAbove, gradeOutsideClass } from './assessments.queries.ts'
import { exclusionAfter } from './exclusion.ts'
import { inOrder } from './order.ts'

type Assessment = Row<'assessment'>
type Group = Row<'student_group'>

const columnsOf = (body: Partial<AssessmentInput>) => ({
  ...(body.title !== undefined && { title: body.title }),
  ...(body.assessmentType !== undefined && { assessment_type: body.assessmentType }),
  ...(body.assessmentDate !== undefined && { assessment_date: body.assessmentDate }),
  ...(body.maxScore !== undefined && { max_score: body.maxScore }),
  ...(body.weight !== undefined && { weight: body.weight }),
  ...(body.sortOrder !== undefined && { sort_order: body.sortOrder }),
  ...(body.studentGroupId !== undefined && { student_group_id: body.studentGroupId }),
})

const demandSameYear = (group: Group | null, term: Row<'term'>) => {
  if (group && group.academic_year_id !== term.academic_year_id) throw assessmentFailures.classOfAnotherYear()
}

/** Grades that are there already must fit the assessment as it is to be. */
async function demandGradesFit(tx: WriteTx, before: Assessment, after: Assessment) {
  const ofAssessment = { school: before.school_id, assessment: before.id }
  if (after.max_score < before.max_score && (await gradeAbove(tx, { ...ofAssessment, score: after.max_score })).length > 0)
    throw assessmentFailures.scoreAboveMaximum()
  const group = after.student_group_id
  if (group !== null && group !== before.student_group_id && (await gradeOutsideClass(tx, { ...ofAssessment, group })).length > 0)
    throw assessmentFailures.gradesOutsideClass()
}

/** An assessment that the caller may write as it is, locked. */
async function ownAssessment(asker: Asker, id: string): Promise<Assessment> {
  const assessment = await heldAssessment(asker, id)
  await demandMayWrite(asker, assessment)
  return assessment
}

const classIfNamed = (asker: Asker, id: string | undefined) =>
  id === undefined ? Promise.resolve(null) : rowOf(asker, 'student_group', id)

export const assessmentHandlers: Handlers<typeof assessments> = {
  list: on(assessments.list, {
    load: async (scene, { targets }) => {
      await termOf(scene, targets['termId'])
      await subjectOf(scene, targets['subjectId'])
      await classIfNamed(scene, targets['studentGroupId'])
    },
    run: async ({ tx, caller }, { query }) => {
      const of = { school: caller.school_id, term: query.termId, subject: query.subjectId }
      const group = query.studentGroupId
      return inOrder(await (group === undefined ? assessmentsOfSubject(tx, of) : assessmentsOfClass(tx, { ...of, group })))
    },
  }),

  get: on(assessments.get, {
    load: (scene, { params }) => rowOf(scene, 'assessment', params.id),
    run: async (_scene, _asked, assessment) => assessment,
  }),

  create: on(assessments.create, {
    load: async (scene, { targets }) => {
      const { termId, subjectId, studentGroupId } = targets
      // Without both ids the body is at fault, which is said next.
      if (termId === undefined || subjectId === undefined) return null
      const term = await termOf(scene, termId)
      await subjectOf(scene, subjectId)
      const group = await classIfNamed(scene, studentGroupId)
      await demandMayWrite(scene, { term_id: term.id, subject_id: subjectId, student_group_id: group?.id ?? null })
      return { term, group }
    },
    run: async ({ tx, caller }, { body }, loaded) => {
      if (!loaded) throw common.notFound()
      demandSameYear(loaded.group, loaded.term)
      const absent = { student_group_id: null, assessment_date: null, weight: null, sort_order: null }
      const ids = { id: tx.newId(), school_id: caller.school_id, term_id: body.termId, subject_id: body.subjectId }
      const row = { ...absent, ...columnsOf(body), ...ids, is_excluded: false, exclusion_reason: null }
      const [assessment] = await tx.insert('assessment', [row as Assessment]).catch(orGone)
      return assessment as Assessment
    },
  }),

  update: on(assessments.update, {
    load: async (scene, { params, targets }) => {
      const assessment = await ownAssessment(scene, params.id)
      if (!('studentGroupId' in targets)) return { assessment, group: null }
      const group = await classIfNamed(scene, targets['studentGroupId'])
      await demandMayWrite(scene, { ...assessment, student_group_id: group?.id ?? null })
      return { assessment, group }
    },
    run: async (scene, { body }, { assessment, group }) => {
      demandSameYear(group, await termOf(scene, assessment.term_id))
      const patch = columnsOf(body)
      await demandGradesFit(scene.tx, assessment, { ...assessment, ...patch })
      const [updated] = await scene.tx.update('assessment', [{ before: assessment, patch }]).catch(orGone)
      return updated as Assessment
    },
  }),

  exclude: on(assessments.exclude, {
    load: (scene, { params }) => ownAssessment(scene, params.id),
    run: async ({ tx }, { body }, before) => {
      const [updated] = await tx.update('assessment', [{ before, patch: exclusionAfter(before, body) }])
      return updated as Assessment
    },
  }),

  remove: on(assessments.remove, {
    load: (scene, { params }) => ownAssessment(scene, params.id),
    run: async ({ tx }, _asked, assessment) => {
      await tx.remove('assessment', [assessment])
      return { message: 'The assessment and its grades were deleted.' }
    },
  }),
}
