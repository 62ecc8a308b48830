import { and, eq, isNull, or } from 'drizzle-orm'
import { matches, pick } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'

/** The categories of a year in order. */
export const categoriesOfYear = rowsBy(
  'assessment_category',
  { school: 'school_id', year: 'academic_year_id' },
  { orderBy: ['sort_order', 'id'] },
)

/** A category; not locked, since row-level security lets a teacher lock no row that only an administrator writes. */
export const categoryById = rowsBy('assessment_category', { school: 'school_id', id: 'id' })

/** The categories that are deleted with a subject. */
export const categoriesOfSubject = rowsBy('assessment_category', { school: 'school_id', subject: 'subject_id' }, { lock: true })

/** The assessments of a term that expect a mark of each student: those that count, without extra credit. */
export const assessmentsExpectingMarks = statement<{ school: string; term: string }>()(({ db, t, p }) => {
  const { assessment, assessment_category: category } = t
  return db
    .select(pick(assessment, 'id', 'subject_id', 'student_group_id', 'teaching_set_id'))
    .from(assessment)
    .leftJoin(category, matches(category, { school_id: assessment.school_id, id: assessment.category_id }))
    .where(
      and(
        matches(assessment, { school_id: p.school, term_id: p.term, is_excluded: false }),
        or(isNull(category.id), eq(category.is_extra_credit, false)),
      ),
    )
})
