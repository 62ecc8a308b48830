import { assessmentFailures, assessments } from '@markbook/shared/contract/assessments'
import { fitsCategory } from '@markbook/shared/domain/categories'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { type Handlers, on, onLoaded } from '../../http/handler.ts'
import { columnsOfResults } from '../../replication/scope/shared-assessments.ts'
import type { WriteTx } from '../../store/tx.ts'
import { categoryById } from '../assessment-categories/assessment-categories.policy.ts'
import { columnsOf } from '../columns.ts'
import { type PolicyContext, rowOf, termOf } from '../policy.ts'
import { orGone, subjectOf } from '../references.ts'
import { assessmentsOf, demandMayWrite, demandNotShared, exclusionAfter, lockedAssessment } from './assessments.policy.ts'
import { gradeAbove, gradeOutsideClass } from './assessments.queries.ts'

type Assessment = Row<'assessment'>

const demandSameYear = (group: Row<'student_group'> | null, term: Row<'term'>) => {
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
async function ownAssessment(context: PolicyContext, id: string): Promise<Assessment> {
  const assessment = await lockedAssessment(context, id)
  await demandMayWrite(context, assessment)
  return assessment
}

/** The same, whose marks count differently afterwards, or go. */
async function ownOfAllItsClasses(context: PolicyContext, id: string): Promise<Assessment> {
  const assessment = await ownAssessment(context, id)
  await demandNotShared(context, assessment)
  return assessment
}

const countsDifferently = (before: Assessment, after: Assessment): boolean =>
  columnsOfResults.some((column) => before[column as keyof Assessment] !== after[column as keyof Assessment])

/** The category that an assessment is put into; null for none. */
async function categoryIfNamed({ tx, caller }: PolicyContext, id: string | null | undefined): Promise<Row<'assessment_category'> | null> {
  if (typeof id !== 'string') return null
  const [category] = await categoryById(tx, { school: caller.school_id, id })
  if (!category) throw common.notFound()
  return category
}

/** A category is of the year of the term, of the subject or of every one, and of the type. */
function demandFits(
  category: Row<'assessment_category'> | null,
  assessment: Pick<Assessment, 'assessment_type' | 'subject_id'>,
  term: Row<'term'>,
) {
  if (category && (category.academic_year_id !== term.academic_year_id || !fitsCategory(category, assessment)))
    throw assessmentFailures.otherCategory()
}

const classIfNamed = (context: PolicyContext, id: string | undefined) =>
  id === undefined ? Promise.resolve(null) : rowOf(context, 'student_group', id)

export const assessmentHandlers: Handlers<typeof assessments> = {
  list: on(assessments.list, {
    load: async (context, { targets }) => {
      await termOf(context, targets['termId'])
      await subjectOf(context, targets['subjectId'])
      await classIfNamed(context, targets['studentGroupId'])
    },
    run: ({ tx, caller }, { query }) =>
      assessmentsOf(tx, { school: caller.school_id, term: query.termId, subject: query.subjectId, group: query.studentGroupId }),
  }),

  get: onLoaded(assessments.get, (context, { params }) => rowOf(context, 'assessment', params.id)),

  create: on(assessments.create, {
    load: async (context, { targets }) => {
      const term = await termOf(context, targets['termId'])
      const subject = await subjectOf(context, targets['subjectId'])
      const group = await classIfNamed(context, targets['studentGroupId'])
      await demandMayWrite(context, { term_id: term.id, subject_id: subject.id, student_group_id: group?.id ?? null })
      return { term, group, category: await categoryIfNamed(context, targets['categoryId']) }
    },
    run: async ({ tx, caller }, { body }, { group, term, category }) => {
      demandSameYear(group, term)
      demandFits(category, { assessment_type: body.assessmentType, subject_id: body.subjectId }, term)
      const row = { id: tx.newId(), school_id: caller.school_id, ...columnsOf(body), is_excluded: false }
      return tx.insert('assessment', row).catch(orGone)
    },
  }),

  update: on(assessments.update, {
    load: async (context, { params, targets }) => {
      const assessment = await ownAssessment(context, params.id)
      if (!('studentGroupId' in targets)) return { assessment, group: null }
      const group = await classIfNamed(context, targets['studentGroupId'])
      await demandMayWrite(context, { ...assessment, student_group_id: group?.id ?? null })
      return { assessment, group }
    },
    run: async (context, { body }, { assessment, group }) => {
      const patch = columnsOf(body)
      const after = { ...assessment, ...patch }
      if (countsDifferently(assessment, after)) await demandNotShared(context, assessment)
      const term = await termOf(context, assessment.term_id)
      demandSameYear(group, term)
      demandFits(await categoryIfNamed(context, after.category_id), after, term)
      await demandGradesFit(context.tx, assessment, after)
      return context.tx.update('assessment', assessment, patch).catch(orGone)
    },
  }),

  exclude: on(assessments.exclude, {
    load: (context, { params }) => ownOfAllItsClasses(context, params.id),
    run: ({ tx }, { body }, before) => tx.update('assessment', before, exclusionAfter(before, body)),
  }),

  remove: on(assessments.remove, {
    load: (context, { params }) => ownOfAllItsClasses(context, params.id),
    run: async ({ tx }, _input, assessment) => {
      await tx.remove('assessment', [assessment])
      return { message: 'The assessment and its grades were deleted.' }
    },
  }),
}
