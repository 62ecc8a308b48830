import { sql } from 'drizzle-orm'
import { areBands, type Band, type Subject, type Term, type Year } from './calendar.ts'
import type { Group, Student } from './classes.ts'
import { type Columns, timestamps } from './columns.sqlite.ts'
import { always, ofSchool } from './describe.ts'
import type { School } from './people.ts'
import type { TeachingSet } from './teaching-sets.ts'

/**
 * A category of a year's assessments; `subject_id` null: for every subject. Year and subject never change, so that its assessments always
 * fit.
 */
export const assessmentCategory = (c: Columns, { academic_year, subject }: Year & Subject) =>
  c.ofSchool('grading', 'assessment_category', {
    columns: {
      academic_year_id: c.uuid().notNull(),
      subject_id: c.uuid(),
      assessment_type: c.choice(['exam', 'coursework'] as const).notNull(),
      name: c.text().notNull(),
      weight: c.decimal().notNull(),
      drop_lowest: c.int().notNull(),
      is_extra_credit: c.flag().notNull(),
      sort_order: c.int().notNull(),
      ...timestamps(c),
    },
    rules: (t) => [
      c.index('assessment_category_year', t.school_id, t.academic_year_id),
      c.foreign('assessment_category_year_fk', [t.school_id, t.academic_year_id], [academic_year.school_id, academic_year.id]),
      c.foreign('assessment_category_subject_fk', [t.school_id, t.subject_id], [subject.school_id, subject.id]),
      c.check('assessment_category_type', sql`${t.assessment_type} in ('exam', 'coursework')`),
      c.check('assessment_category_counting', sql`${t.weight} between 0 and 100 and ${t.drop_lowest} between 0 and 10`),
    ],
  })

export const assessmentCategoryDescription = ofSchool({
  identity: ['academic_year_id', 'subject_id', 'assessment_type', 'created_at'],
  units: { name: ['name'], counting: ['weight', 'drop_lowest', 'is_extra_credit'], sort_order: ['sort_order'] },
  audit: ['updated_at'],
})

type AssessmentCategory = { assessment_category: ReturnType<typeof assessmentCategory> }

/**
 * `student_group_id` and `teaching_set_id` both null: an assessment of every class that takes the subject (decisions §4). At most one of
 * them is set.
 */
export const assessment = (
  c: Columns,
  { term, subject, student_group, teaching_set, assessment_category }: Term & Subject & Group & TeachingSet & AssessmentCategory,
) =>
  c.ofSchool('grading', 'assessment', {
    columns: {
      term_id: c.uuid().notNull(),
      subject_id: c.uuid().notNull(),
      student_group_id: c.uuid(),
      title: c.text().notNull(),
      assessment_type: c.choice(['exam', 'coursework'] as const).notNull(),
      assessment_date: c.day(),
      max_score: c.decimal().notNull(),
      weight: c.decimal(),
      is_excluded: c.flag().notNull(),
      exclusion_reason: c.text(),
      sort_order: c.int(),
      category_id: c.uuid(),
      teaching_set_id: c.uuid(),
      created_by: c.uuid(),
      ...timestamps(c),
    },
    rules: (t) => [
      c.unique('assessment_in_term', [t.school_id, t.id, t.term_id]),
      c.index('assessment_term_subject', t.school_id, t.term_id, t.subject_id),
      c.foreign('assessment_term_fk', [t.school_id, t.term_id], [term.school_id, term.id]),
      c.foreign('assessment_subject_fk', [t.school_id, t.subject_id], [subject.school_id, subject.id]),
      c.foreign('assessment_class_fk', [t.school_id, t.student_group_id], [student_group.school_id, student_group.id]),
      c.foreign('assessment_category_fk', [t.school_id, t.category_id], [assessment_category.school_id, assessment_category.id]),
      c.index('assessment_category_use', t.school_id, t.category_id),
      c.foreign('assessment_set_fk', [t.school_id, t.teaching_set_id], [teaching_set.school_id, teaching_set.id]),
      c.index('assessment_set', t.school_id, t.teaching_set_id),
      c.check('assessment_type_known', sql`${t.assessment_type} in ('exam', 'coursework')`),
      c.check('assessment_max_score', sql`${t.max_score} > 0 and ${t.max_score} <= 100000`),
      c.check('assessment_weight', sql`${t.weight} between 0 and 1000`),
    ],
  })

export const assessmentDescription = ofSchool({
  identity: ['term_id', 'subject_id', 'created_by', 'created_at'],
  units: {
    // One unit, so that a merge never combines the class of one writer with the set of another.
    student_group_id: ['student_group_id', 'teaching_set_id'],
    title: ['title'],
    scoring: ['max_score', 'weight', 'assessment_type', 'category_id'],
    assessment_date: ['assessment_date'],
    exclusion: ['is_excluded', 'exclusion_reason'],
    sort_order: ['sort_order'],
  },
  audit: ['updated_at'],
  cascade: [{ table: 'grade', column: 'assessment_id' }],
})

type Assessment = { assessment: ReturnType<typeof assessment> }

/**
 * One mark. `term_id` repeats the assessment's term (ensured by a composite foreign key). With it the covering index answers a pupil's
 * term without reading the table, so results stay fast as years accumulate.
 */
export const grade = (c: Columns, { assessment, student }: Assessment & Student) =>
  c.ofSchool('grading', 'grade', {
    columns: {
      assessment_id: c.uuid().notNull(),
      term_id: c.uuid().notNull(),
      student_id: c.uuid().notNull(),
      score: c.decimal(),
      status: c.text(),
      remarks: c.text(),
      is_excluded: c.flag().notNull(),
      exclusion_reason: c.text(),
      created_by: c.uuid(),
      updated_by: c.uuid(),
      ...timestamps(c),
    },
    rules: (t) => [
      c.unique('grade_once', [t.school_id, t.assessment_id, t.student_id]),
      c.index('grade_student_term', t.school_id, t.student_id, t.term_id, t.assessment_id, t.score, t.is_excluded),
      c.foreign(
        'grade_assessment_term',
        [t.school_id, t.assessment_id, t.term_id],
        [assessment.school_id, assessment.id, assessment.term_id],
      ),
      c.foreign('grade_student_fk', [t.school_id, t.student_id], [student.school_id, student.id]),
      c.check('grade_score', sql`${t.score} between 0 and 100000`),
    ],
  })

/**
 * `score` is null where `status` replaces it (docs/design/results.md). Replacing one by the other writes both units, so two concurrent
 * replacements always conflict in at least one of them. The letter is not stored: it follows from the score, the maximum and the present
 * scale (decisions §4).
 */
export const gradeDescription = ofSchool({
  identity: ['assessment_id', 'student_id', 'created_by', 'created_at'],
  near: 'assessment_id',
  natural: { kind: 'grade', of: ['assessment_id', 'student_id'] },
  units: { score: ['score'], status: ['status'], remarks: ['remarks'], exclusion: ['is_excluded', 'exclusion_reason'] },
  derived: ['term_id'],
  audit: ['updated_by', 'updated_at'],
})

/** One row per school, for every year without its own scale; where absent, the default scale of decisions §4 applies. */
export const gradingScale = (c: Columns, { school }: School) =>
  c.ofSchool('grading', 'grading_scale', {
    columns: {
      pass_mark: c.decimal().notNull(),
      bands: c.json<Band[]>().notNull(),
      updated_at: c.instant().notNull(),
    },
    rules: (t) => [
      c.unique('grading_scale_once', [t.school_id]),
      c.foreign('grading_scale_school', [t.school_id], [school.id]),
      c.check('grading_scale_pass_mark', sql`${t.pass_mark} between 0 and 100`),
    ],
  })

export const gradingScaleDescription = ofSchool({
  identity: [],
  natural: { kind: 'grading_scale', of: ['school_id'] },
  notDeletedAlone: always,
  units: { scale: ['pass_mark', 'bands'] },
  audit: ['updated_at'],
  json: { bands: areBands },
})
