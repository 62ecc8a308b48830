import { naturalId } from '@markbook/shared/ids'
import type { Row } from '@markbook/shared/tables/tables'
import { type Action, type ActionContext, all, change, remove, some } from './actions.context.ts'

// What a school adds to its classes: teaching sets, and categories of assessments.

const yearOf = ({ school, chance }: ActionContext): string => (chance.often(0.8) ? school.years[0] : school.years[1]) as string
const anySet = (context: ActionContext) => some(context, 'teaching_set')

async function addMember(context: ActionContext, set: Row<'teaching_set'>) {
  const { tx, school } = context
  const place = await some(context, 'enrolment', ({ academic_year_id }) => academic_year_id === set.academic_year_id)
  if (!place || (await tx.find('teaching_set_member', school.id, naturalId('teaching_set_member', set.id, place.student_id)))) return
  await tx.insert('teaching_set_member', { school_id: school.id, teaching_set_id: set.id, student_id: place.student_id })
}

async function addTeacher({ tx, school, chance }: ActionContext, set: Row<'teaching_set'>) {
  const user_profile_id = chance.pick([...school.teachers, ...school.admins])
  if (await tx.find('teaching_set_teacher', school.id, naturalId('teaching_set_teacher', set.id, user_profile_id))) return
  await tx.insert('teaching_set_teacher', { school_id: school.id, teaching_set_id: set.id, user_profile_id })
}

async function newSet(context: ActionContext) {
  const { tx, school, fresh } = context
  const subject = await some(context, 'subject')
  if (!subject) return
  const academic_year_id = yearOf(context)
  const set = await tx.insert('teaching_set', {
    id: tx.newId(),
    school_id: school.id,
    academic_year_id,
    subject_id: subject.id,
    name: `Set ${fresh()}`,
  })
  for (let count = 0; count < 3; count += 1) await addMember(context, set)
  await addTeacher(context, set)
}

/** A mark of a pupil of a set, in an assessment that is for them: whoever writes it teaches the set, where they teach any. */
async function markInSet(context: ActionContext) {
  const { tx, school, actor, fresh } = context
  const own = new Set(
    (await all(context, 'teaching_set_teacher')).flatMap((row) => (row.user_profile_id === actor ? [row.teaching_set_id] : [])),
  )
  const set = (await some(context, 'teaching_set', ({ id }) => own.has(id))) ?? (await anySet(context))
  const member = set && (await some(context, 'teaching_set_member', ({ teaching_set_id }) => teaching_set_id === set.id))
  if (!set || !member) return
  const terms = new Set((await all(context, 'term')).flatMap((term) => (term.academic_year_id === set.academic_year_id ? [term.id] : [])))
  const { student_id } = member
  const [place] = (await all(context, 'enrolment')).filter(
    (row) => row.student_id === student_id && row.academic_year_id === set.academic_year_id,
  )
  const isFor = ({ student_group_id: group, teaching_set_id: of }: Row<'assessment'>) =>
    (group === null || group === place?.student_group_id) && (of === null || of === set.id)
  const assessment = await some(
    context,
    'assessment',
    (row) => row.subject_id === set.subject_id && terms.has(row.term_id) && isFor(row) && row.max_score >= 10,
  )
  if (!assessment) return
  const score = (fresh() % 1_000) / 100
  const before = await tx.find('grade', school.id, naturalId('grade', assessment.id, student_id))
  if (before) return change(context, 'grade', before, { score, status: null })
  const { id: assessment_id, term_id } = assessment
  return tx.insert('grade', { school_id: school.id, assessment_id, term_id, student_id, score, is_excluded: false })
}

async function newCategory(context: ActionContext) {
  const { tx, school, chance, fresh } = context
  const subject = chance.often(0.5) ? await some(context, 'subject') : undefined
  return tx.insert('assessment_category', {
    id: tx.newId(),
    school_id: school.id,
    academic_year_id: yearOf(context),
    subject_id: subject?.id ?? null,
    assessment_type: chance.pick(['exam', 'coursework'] as const),
    name: `Category ${fresh()}`,
    ...countingOf(context),
    sort_order: 1,
  })
}

const countingOf = ({ chance, fresh }: ActionContext) => ({
  weight: (fresh() % 10_000) / 100,
  drop_lowest: chance.pick([0, 0, 1, 2]),
  is_extra_credit: chance.often(0.1),
})

/** Puts an assessment into a category that fits it, or takes it out. */
async function categorise(context: ActionContext) {
  const { chance } = context
  const assessment = await some(context, 'assessment')
  if (!assessment) return
  if (assessment.category_id !== null && chance.often(0.3)) return change(context, 'assessment', assessment, { category_id: null })
  const year = (await all(context, 'term')).find(({ id }) => id === assessment.term_id)?.academic_year_id
  const category = await some(
    context,
    'assessment_category',
    (row) =>
      row.academic_year_id === year &&
      row.assessment_type === assessment.assessment_type &&
      (row.subject_id === null || row.subject_id === assessment.subject_id),
  )
  return category && change(context, 'assessment', assessment, { category_id: category.id })
}

export const structureActions = {
  newSet,
  addMember: async (context) => {
    const set = await anySet(context)
    return set && addMember(context, set)
  },
  removeMember: async (context) => remove(context, 'teaching_set_member', await some(context, 'teaching_set_member')),
  addTeacher: async (context) => {
    const set = await anySet(context)
    return set && addTeacher(context, set)
  },
  removeTeacher: async (context) => remove(context, 'teaching_set_teacher', await some(context, 'teaching_set_teacher')),
  renameSet: async (context) => change(context, 'teaching_set', await anySet(context), { name: `Renamed ${context.fresh()}` }),
  removeSet: async (context) => remove(context, 'teaching_set', await anySet(context)),
  markInSet,
  newCategory,
  countOtherwise: async (context) =>
    change(context, 'assessment_category', await some(context, 'assessment_category'), countingOf(context)),
  renameCategory: async (context) =>
    change(context, 'assessment_category', await some(context, 'assessment_category'), { name: `Named ${context.fresh()}` }),
  categorise,
  removeCategory: async (context) => {
    const used = new Set((await all(context, 'assessment')).map(({ category_id }) => category_id))
    return remove(context, 'assessment_category', await some(context, 'assessment_category', ({ id }) => !used.has(id)))
  },
} satisfies Record<string, Action>
export type StructureDeed = keyof typeof structureActions

export const structureWeights: Record<StructureDeed, number> = {
  newSet: 4,
  addMember: 4,
  removeMember: 2,
  addTeacher: 2,
  removeTeacher: 1,
  renameSet: 1,
  removeSet: 2,
  markInSet: 6,
  newCategory: 3,
  countOtherwise: 3,
  renameCategory: 1,
  categorise: 5,
  removeCategory: 2,
}
export const structureOfTeachers: readonly StructureDeed[] = ['markInSet', 'categorise']
