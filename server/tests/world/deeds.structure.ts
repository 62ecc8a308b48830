import { naturalId } from '@markbook/shared/ids'
import type { Row } from '@markbook/shared/tables/tables'
import { all, change, type Deed, type DeedContext, remove, some } from './deeds.scene.ts'

// What a school adds to its classes: teaching sets, and categories of assessments.

const yearOf = ({ school, chance }: DeedContext): string => (chance.often(0.8) ? school.years[0] : school.years[1]) as string
const anySet = (scene: DeedContext) => some(scene, 'teaching_set')

async function addMember(scene: DeedContext, set: Row<'teaching_set'>) {
  const { tx, school } = scene
  const place = await some(scene, 'enrolment', ({ academic_year_id }) => academic_year_id === set.academic_year_id)
  if (!place || (await tx.find('teaching_set_member', school.id, naturalId('teaching_set_member', set.id, place.student_id)))) return
  await tx.insert('teaching_set_member', { school_id: school.id, teaching_set_id: set.id, student_id: place.student_id })
}

async function addTeacher({ tx, school, chance }: DeedContext, set: Row<'teaching_set'>) {
  const user_profile_id = chance.pick([...school.teachers, ...school.admins])
  if (await tx.find('teaching_set_teacher', school.id, naturalId('teaching_set_teacher', set.id, user_profile_id))) return
  await tx.insert('teaching_set_teacher', { school_id: school.id, teaching_set_id: set.id, user_profile_id })
}

async function newSet(scene: DeedContext) {
  const { tx, school, fresh } = scene
  const subject = await some(scene, 'subject')
  if (!subject) return
  const academic_year_id = yearOf(scene)
  const set = await tx.insert('teaching_set', {
    id: tx.newId(),
    school_id: school.id,
    academic_year_id,
    subject_id: subject.id,
    name: `Set ${fresh()}`,
  })
  for (let count = 0; count < 3; count += 1) await addMember(scene, set)
  await addTeacher(scene, set)
}

/** A mark of a pupil of a set, in an assessment that is for them: whoever writes it teaches the set, where they teach any. */
async function markInSet(scene: DeedContext) {
  const { tx, school, actor, fresh } = scene
  const own = new Set(
    (await all(scene, 'teaching_set_teacher')).flatMap((row) => (row.user_profile_id === actor ? [row.teaching_set_id] : [])),
  )
  const set = (await some(scene, 'teaching_set', ({ id }) => own.has(id))) ?? (await anySet(scene))
  const member = set && (await some(scene, 'teaching_set_member', ({ teaching_set_id }) => teaching_set_id === set.id))
  if (!set || !member) return
  const terms = new Set((await all(scene, 'term')).flatMap((term) => (term.academic_year_id === set.academic_year_id ? [term.id] : [])))
  const { student_id } = member
  const [place] = (await all(scene, 'enrolment')).filter(
    (row) => row.student_id === student_id && row.academic_year_id === set.academic_year_id,
  )
  const isFor = ({ student_group_id: group, teaching_set_id: of }: Row<'assessment'>) =>
    (group === null || group === place?.student_group_id) && (of === null || of === set.id)
  const assessment = await some(
    scene,
    'assessment',
    (row) => row.subject_id === set.subject_id && terms.has(row.term_id) && isFor(row) && row.max_score >= 10,
  )
  if (!assessment) return
  const score = (fresh() % 1_000) / 100
  const before = await tx.find('grade', school.id, naturalId('grade', assessment.id, student_id))
  if (before) return change(scene, 'grade', before, { score, status: null })
  const { id: assessment_id, term_id } = assessment
  return tx.insert('grade', { school_id: school.id, assessment_id, term_id, student_id, score, is_excluded: false })
}

async function newCategory(scene: DeedContext) {
  const { tx, school, chance, fresh } = scene
  const subject = chance.often(0.5) ? await some(scene, 'subject') : undefined
  return tx.insert('assessment_category', {
    id: tx.newId(),
    school_id: school.id,
    academic_year_id: yearOf(scene),
    subject_id: subject?.id ?? null,
    assessment_type: chance.pick(['exam', 'coursework'] as const),
    name: `Category ${fresh()}`,
    ...countingOf(scene),
    sort_order: 1,
  })
}

const countingOf = ({ chance, fresh }: DeedContext) => ({
  weight: (fresh() % 10_000) / 100,
  drop_lowest: chance.pick([0, 0, 1, 2]),
  is_extra_credit: chance.often(0.1),
})

/** Puts an assessment into a category that fits it, or takes it out. */
async function categorise(scene: DeedContext) {
  const { chance } = scene
  const assessment = await some(scene, 'assessment')
  if (!assessment) return
  if (assessment.category_id !== null && chance.often(0.3)) return change(scene, 'assessment', assessment, { category_id: null })
  const year = (await all(scene, 'term')).find(({ id }) => id === assessment.term_id)?.academic_year_id
  const category = await some(
    scene,
    'assessment_category',
    (row) =>
      row.academic_year_id === year &&
      row.assessment_type === assessment.assessment_type &&
      (row.subject_id === null || row.subject_id === assessment.subject_id),
  )
  return category && change(scene, 'assessment', assessment, { category_id: category.id })
}

export const structureDeeds = {
  newSet,
  addMember: async (scene) => {
    const set = await anySet(scene)
    return set && addMember(scene, set)
  },
  removeMember: async (scene) => remove(scene, 'teaching_set_member', await some(scene, 'teaching_set_member')),
  addTeacher: async (scene) => {
    const set = await anySet(scene)
    return set && addTeacher(scene, set)
  },
  removeTeacher: async (scene) => remove(scene, 'teaching_set_teacher', await some(scene, 'teaching_set_teacher')),
  renameSet: async (scene) => change(scene, 'teaching_set', await anySet(scene), { name: `Renamed ${scene.fresh()}` }),
  removeSet: async (scene) => remove(scene, 'teaching_set', await anySet(scene)),
  markInSet,
  newCategory,
  countOtherwise: async (scene) => change(scene, 'assessment_category', await some(scene, 'assessment_category'), countingOf(scene)),
  renameCategory: async (scene) =>
    change(scene, 'assessment_category', await some(scene, 'assessment_category'), { name: `Named ${scene.fresh()}` }),
  categorise,
  removeCategory: async (scene) => {
    const used = new Set((await all(scene, 'assessment')).map(({ category_id }) => category_id))
    return remove(scene, 'assessment_category', await some(scene, 'assessment_category', ({ id }) => !used.has(id)))
  },
} satisfies Record<string, Deed>
export type StructureDeed = keyof typeof structureDeeds

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
