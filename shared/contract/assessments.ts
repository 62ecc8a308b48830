import { z } from 'zod'
import { failures } from '../failures.ts'
import { endpoint } from './endpoint.ts'
import { AssessmentWeight, choice, Day, Done, Flag, Id, input, MaxScore, Reason, row, SortOrder, Title } from './scalars.ts'

export const AssessmentType = choice(['exam', 'coursework'])

/**
 * An assessment is for one class, for one teaching set, or (both ids null) for every class that takes the subject. A null `weight` counts
 * as 1 within its type.
 */
export const Assessment = row('Assessment', {
  id: Id,
  term_id: Id,
  subject_id: Id,
  title: z.string(),
  assessment_type: AssessmentType,
  assessment_date: Day.nullable(),
  max_score: z.number(),
  weight: z.number().nullable(),
  is_excluded: Flag,
  exclusion_reason: z.string().nullable(),
  sort_order: z.int().nullable(),
  student_group_id: Id.nullable(),
  category_id: Id.nullable(),
  teaching_set_id: Id.nullable(),
})
export type Assessment = z.infer<typeof Assessment>

/** An assessment in a list. `teaching_set`: the set that the assessment is for, with its students; absent for every other assessment. */
export const ListedAssessment = row('ListedAssessment', {
  ...Assessment.shape,
  teaching_set: z.object({ id: Id, name: z.string(), student_ids: z.array(Id) }).optional(),
})
export type ListedAssessment = z.infer<typeof ListedAssessment>

const changeable = {
  title: Title,
  assessmentType: AssessmentType,
  assessmentDate: Day.nullish(),
  maxScore: MaxScore,
  weight: AssessmentWeight.nullish(),
  sortOrder: SortOrder.nullish(),
  studentGroupId: Id.nullish(),
  categoryId: Id.nullish(),
  teachingSetId: Id.nullish(),
}
export const AssessmentInput = input({ termId: Id, subjectId: Id, ...changeable, maxScore: MaxScore.default(100) })
export type AssessmentInput = z.infer<typeof AssessmentInput>

/** For assessments and grades alike. Including the row again clears the reason (decisions §4). */
export const ExclusionInput = input({ isExcluded: Flag, exclusionReason: Reason.nullish() })

export const assessmentFailures = failures('assessments', {
  notYourSubject: [403, 'You are not assigned to this subject.'],
  shared: [403, 'Pupils of other classes have marks in this assessment. Only an administrator can change how it counts, or delete it.'],
  classOfAnotherYear: [400, 'The class is not of the same academic year as the term.'],
  classAndSet: [400, 'An assessment is for a class or for a teaching set, not for both.'],
  otherSet: [400, 'The teaching set is of another subject or academic year.'],
  otherCategory: [400, 'The category is of another year, subject or type of assessment.'],
  scoreAboveMaximum: [409, 'A recorded score is above the new maximum.'],
  gradesOutsideClass: [409, 'Students of other classes already have a grade in this assessment.'],
  gradesOutsideSet: [409, 'Students who are not in the teaching set already have a grade in this assessment.'],
})

export const assessments = {
  list: endpoint('GET /api/assessments', 'staff', 'List the assessments of a term and subject in order', {
    query: z.object({ termId: Id, subjectId: Id, studentGroupId: Id.optional(), teachingSetId: Id.optional() }),
    notes:
      'With a class those that concern it: its own, those of every class, and those of teaching sets, where a student of it is in the set or has a grade. With a teaching set likewise, of the classes of its students.',
    reply: z.array(ListedAssessment),
  }),
  get: endpoint('GET /api/assessments/:id', 'staff', 'Read an assessment', { reply: Assessment }),
  create: endpoint('POST /api/assessments', 'staff', 'Create an assessment', {
    status: 201,
    body: AssessmentInput,
    reply: Assessment,
    fails: [
      'assessments.not_your_subject',
      'assessments.class_of_another_year',
      'assessments.class_and_set',
      'assessments.other_set',
      'assessments.other_category',
    ],
  }),
  update: endpoint('PATCH /api/assessments/:id', 'staff', 'Change an assessment; its term and subject stay', {
    notes: 'A class that is named takes the place of a teaching set, and a set that of a class.',
    body: input(changeable).partial(),
    reply: Assessment,
    fails: [
      'assessments.not_your_subject',
      'assessments.shared',
      'assessments.class_of_another_year',
      'assessments.class_and_set',
      'assessments.other_set',
      'assessments.other_category',
      'assessments.score_above_maximum',
      'assessments.grades_outside_class',
      'assessments.grades_outside_set',
    ],
  }),
  exclude: endpoint('PATCH /api/assessments/:id/exclude', 'staff', 'Leave an assessment out of the calculations, or take it in again', {
    body: ExclusionInput,
    reply: Assessment,
    fails: ['assessments.not_your_subject', 'assessments.shared'],
  }),
  remove: endpoint('DELETE /api/assessments/:id', 'staff', 'Delete an assessment and all its grades', {
    reply: Done,
    fails: ['assessments.not_your_subject', 'assessments.shared'],
  }),
}
