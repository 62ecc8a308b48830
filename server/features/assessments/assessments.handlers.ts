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
import { orNotFound, subjectOf } from '../references.ts'
import { setNamed } from '../teaching-sets/teaching-sets.policy.ts'
import { assessmentsOf, demandMayWrite, demandNotShared, exclusionAfter, lockedAssessment, withSets } from './assessments.policy.ts'
import { gradeAbove, gradeOutsideClass, gradeOutsideSet } from './assessments.queries.ts'

type Assessment = Row<'assessment'>

const demandSameYear = (group: Row<'student_group'> | null, term: Row<'term'>) => {
  if (group && group.academic_year_id !== term.academic_year_id) throw assessmentFailures.classOfAnotherYear()
}

/** The audience of an assessment: a class, a teaching set, or every class (both null). */
type Audience = { group: Row<'student_group'> | null; set: Row<'teaching_set'> | null }

const audienceOf = async (context: PolicyContext, targets: Readonly<Record<string, string | undefined>>): Promise<Audience> => {
  const { studentGroupId, teachingSetId } = targets
  const group = await classIfNamed(context, studentGroupId)
  const set = teachingSetId === undefined ? null : await setNamed(context, teachingSetId)
  if (group && set) throw assessmentFailures.classAndSet()
  return { group, set }
}

/** The audience after a change: naming a class clears the set, and the reverse. So a client without sets can move an assessment too. */
function meantAfter({ student_group_id, teaching_set_id }: Assessment, targets: Readonly<Record<string, string | undefined>>) {
  const { studentGroupId, teachingSetId } = targets
  return {
    student_group_id: 'studentGroupId' in targets ? (studentGroupId ?? null) : teachingSetId === undefined ? student_group_id : null,
    teaching_set_id: 'teachingSetId' in targets ? (teachingSetId ?? null) : studentGroupId === undefined ? teaching_set_id : null,
  }
}

/** A class must belong to the term's year; a set to its year and the subject. */
function demandFitting({ group, set }: Audience, term: Row<'term'>, subject: string) {
  demandSameYear(group, term)
  if (set && (set.academic_year_id !== term.academic_year_id || set.subject_id !== subject)) throw assessmentFailures.otherSet()
}

/** Existing grades must fit the changed assessment. */
async function demandGradesFit(tx: WriteTx, before: Assessment, after: Assessment) {
  const ofAssessment = { school: before.school_id, assessment: before.id }
  if (after.max_score < before.max_score && (await gradeAbove(tx, { ...ofAssessment, score: after.max_score })).length > 0)
    throw assessmentFailures.scoreAboveMaximum()
  const group = after.student_group_id
  if (group !== null && group !== before.student_group_id && (await gradeOutsideClass(tx, { ...ofAssessment, group })).length > 0)
    throw assessmentFailures.gradesOutsideClass()
  const set = after.teaching_set_id
  if (set !== null && set !== before.teaching_set_id && (await gradeOutsideSet(tx, { ...ofAssessment, set })).length > 0)
    throw assessmentFailures.gradesOutsideSet()
}

/** Loads and locks an assessment that the caller may write in its present state. */
async function ownAssessment(context: PolicyContext, id: string): Promise<Assessment> {
  const assessment = await lockedAssessment(context, id)
  await demandMayWrite(context, assessment)
  return assessment
}

/** The same for a change that affects results, or a deletion. */
async function ownOfAllItsClasses(context: PolicyContext, id: string): Promise<Assessment> {
  const assessment = await ownAssessment(context, id)
  await demandNotShared(context, assessment)
  return assessment
}

const countsDifferently = (before: Assessment, after: Assessment): boolean =>
  columnsOfResults.some((column) => before[column as keyof Assessment] !== after[column as keyof Assessment])

/** The category named in a request; null for none. */
async function categoryIfNamed({ tx, caller }: PolicyContext, id: string | null | undefined): Promise<Row<'assessment_category'> | null> {
  if (typeof id !== 'string') return null
  const [category] = await categoryById(tx, { school: caller.school_id, id })
  if (!category) throw common.notFound()
  return category
}

/** A category must belong to the term's year, to the subject or to every one, and to the type. */
function requireFittingCategory(
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
      await audienceOf(context, targets)
    },
    run: async ({ tx, caller }, { query }) => {
      const asked = {
        school: caller.school_id,
        term: query.termId,
        subject: query.subjectId,
        group: query.studentGroupId,
        set: query.teachingSetId,
      }
      return withSets(tx, caller.school_id, await assessmentsOf(tx, asked))
    },
  }),

  get: onLoaded(assessments.get, (context, { params }) => rowOf(context, 'assessment', params.id)),

  create: on(assessments.create, {
    load: async (context, { targets }) => {
      const term = await termOf(context, targets['termId'])
      const subject = await subjectOf(context, targets['subjectId'])
      const meant = await audienceOf(context, targets)
      const { group, set } = meant
      const place = { term_id: term.id, subject_id: subject.id, student_group_id: group?.id ?? null, teaching_set_id: set?.id ?? null }
      await demandMayWrite(context, place)
      return { term, meant, category: await categoryIfNamed(context, targets['categoryId']) }
    },
    run: async ({ tx, caller }, { body }, { meant, term, category }) => {
      demandFitting(meant, term, body.subjectId)
      requireFittingCategory(category, { assessment_type: body.assessmentType, subject_id: body.subjectId }, term)
      const row = { id: tx.newId(), school_id: caller.school_id, ...columnsOf(body), is_excluded: false }
      return tx.insert('assessment', row).catch(orNotFound)
    },
  }),

  update: on(assessments.update, {
    load: async (context, { params, targets }) => {
      const assessment = await ownAssessment(context, params.id)
      const said = meantAfter(assessment, targets)
      const isMeant = 'studentGroupId' in targets || 'teachingSetId' in targets
      const meant = await audienceOf(context, targets)
      if (isMeant) await demandMayWrite(context, { ...assessment, ...said })
      return { assessment, meant, said }
    },
    run: async (context, { body }, { assessment, meant, said }) => {
      const patch = { ...columnsOf(body), ...said }
      const after = { ...assessment, ...patch }
      if (countsDifferently(assessment, after)) await demandNotShared(context, assessment)
      const term = await termOf(context, assessment.term_id)
      demandFitting(meant, term, assessment.subject_id)
      requireFittingCategory(await categoryIfNamed(context, after.category_id), after, term)
      await demandGradesFit(context.tx, assessment, after)
      return context.tx.update('assessment', assessment, patch).catch(orNotFound)
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
