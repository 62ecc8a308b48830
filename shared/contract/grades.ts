import { z } from 'zod'
import { failures } from '../failures.ts'
import { limits } from '../limits.ts'
import { AssessmentType, ExclusionInput } from './assessments.ts'
import { endpoint } from './endpoint.ts'
import { choice, Done, Flag, Id, Instant, input, MarkCodeName, QueryScore, Remark, row, Score, StudentName, say } from './scalars.ts'

/** `score` is null where `status`, one of the school's codes, replaces it. */
const value = { score: z.number().nullable(), status: z.string().nullable() }

/** `created_by` and `updated_by` are null where the service wrote the row. */
export const Grade = row('Grade', {
  id: Id,
  assessment_id: Id,
  student_id: Id,
  ...value,
  letter_grade: z.string().nullable(),
  remarks: z.string().nullable(),
  is_excluded: Flag,
  exclusion_reason: z.string().nullable(),
  created_by: Id.nullable(),
  updated_by: Id.nullable(),
  updated_at: Instant,
})
export type Grade = z.infer<typeof Grade>

export const GradedAssessment = row('GradedAssessment', {
  id: Id,
  title: z.string(),
  max_score: z.number(),
  assessment_type: AssessmentType,
  /** `status` is absent without a code. */
  grades: z.array(
    z.object({
      id: Id,
      student_id: Id,
      score: value.score,
      status: z.string().optional(),
      remarks: z.string().nullable(),
      is_excluded: Flag,
      student: StudentName,
    }),
  ),
})
export type GradedAssessment = z.infer<typeof GradedAssessment>

/**
 * A grade in the stream of a class's marks. `is_waiting`: the parent of this server does not have it yet. `is_above`: on a laptop, the
 * centre has it too, by the school's last report.
 */
export const LiveMark = row('LiveMark', {
  ...Grade.omit({ letter_grade: true, created_by: true }).shape,
  is_waiting: Flag,
  is_above: Flag,
})
export type LiveMark = z.infer<typeof LiveMark>

/** Tables of the school, other than grades, that changed since the last event. */
export const RelatedTable = choice([
  'assessment',
  'student',
  'enrolment',
  'teaching_set_member',
  'academic_year',
  'term',
  'assessment_category',
  'grading_scale',
  'sync_conflict',
])
/**
 * `is_whole`: the event holds all marks and replaces the earlier ones. Otherwise it holds the changed marks and the ids of the deleted
 * ones.
 */
export const LiveMarks = row('LiveMarks', { is_whole: Flag, marks: z.array(LiveMark), gone: z.array(Id), touched: z.array(RelatedTable) })
export type LiveMarks = z.infer<typeof LiveMarks>

const mark = { score: Score.nullish(), status: MarkCodeName.nullish(), remarks: Remark.nullish() }
type Mark = { score?: number | null | undefined; status?: string | null | undefined }
const withoutScore = (context: z.core.ParsePayload<Mark>) => {
  const { score, status } = context.value
  if (status != null || score != null) return
  context.issues.push({
    code: 'custom',
    path: ['score'],
    message: score === null ? 'may be null only with a status' : 'is required',
    input: score,
  })
}

const BulkInput = input({
  assessmentId: Id,
  grades: z
    .array(input({ studentId: Id, ...mark }).check(withoutScore), say('must be a list of grades'))
    .min(1, 'must hold at least one grade')
    .max(limits.gradesPerRequest, `must hold at most ${limits.gradesPerRequest} grades`),
}).check((context) => {
  const seen = new Set<string>()
  context.value.grades.forEach(({ studentId }, index) => {
    if (seen.has(studentId)) {
      context.issues.push({
        code: 'custom',
        path: ['grades', index, 'studentId'],
        message: 'must not name the same student twice',
        input: studentId,
      })
    }
    seen.add(studentId)
  })
})

export const gradeFailures = failures('grades', {
  alreadyExists: [409, 'This student already has a grade in this assessment.'],
  unknownCode: [400, 'The school has no such code for marks.'],
  codeOrScore: [400, 'This code stands in the place of a score.'],
  aboveMaximum: [400, 'A score is above the maximum of the assessment.'],
  outsideClass: [400, 'This assessment is for one class, and a student is not in it.'],
  outsideSet: [400, 'This assessment is for one teaching set, and a student is not in it.'],
  tooManyListeners: [429, 'You are looking at marks in too many windows at once. Close some of them.'],
  changedMeanwhile: [409, 'Somebody else has changed this grade since.'],
  notYourSubject: [403, 'You are not assigned to this subject for every one of these students.'],
})

const writes = ['grades.not_your_subject', 'grades.above_maximum', 'grades.unknown_code', 'grades.code_or_score'] as const
const codes =
  'A `status` in place of a score leaves `score` null, or makes it 0, as the code says; `late` stands beside a score. A score without a status takes away the code in whose place it comes.'

export const grades = {
  list: endpoint('GET /api/grades', 'staff', 'List the grades of an assessment by last name', {
    query: z.object({ assessmentId: Id }),
    reply: z.array(Grade.extend({ student: StudentName })),
  }),
  byTerm: endpoint('GET /api/grades/by-term', 'staff', 'List the assessments of a term and subject with their grades', {
    query: z.object({ termId: Id, subjectId: Id }),
    reply: z.array(GradedAssessment),
  }),
  events: endpoint('GET /api/grades/events', 'staff', 'Follow the marks of a class, or of a teaching set, in a subject and term', {
    who: 'For those who teach in the class; of a set, for those who teach it.',
    notes:
      '`studentGroupId` or `teachingSetId`. The first event has all of them and comes at once; then one for every change, also of whether the parent has a mark.',
    query: z.object({ termId: Id, subjectId: Id, studentGroupId: Id.optional(), teachingSetId: Id.optional() }),
    reply: 'events',
    event: LiveMarks,
    fails: ['grades.too_many_listeners'],
  }),
  create: endpoint('POST /api/grades', 'staff', 'Record a grade', {
    status: 201,
    notes: codes,
    body: input({ assessmentId: Id, studentId: Id, ...mark }).check(withoutScore),
    reply: Grade,
    fails: [...writes, 'grades.outside_class', 'grades.outside_set', 'grades.already_exists'],
  }),
  bulk: endpoint('POST /api/grades/bulk', 'staff', 'Record or change the grades of several students, all or none', {
    notes: codes,
    body: BulkInput,
    reply: z.array(Grade),
    fails: [...writes, 'grades.outside_class', 'grades.outside_set'],
  }),
  update: endpoint('PATCH /api/grades/:id', 'staff', 'Change a grade', {
    notes: codes,
    body: input(mark),
    reply: Grade,
    fails: [...writes],
  }),
  exclude: endpoint('PATCH /api/grades/:id/exclude', 'staff', 'Leave a grade out of the calculations, or take it in again', {
    body: ExclusionInput,
    reply: Grade,
    fails: ['grades.not_your_subject'],
  }),
  remove: endpoint('DELETE /api/grades/:id', 'staff', 'Remove a grade', {
    notes:
      'With `score` and `status`, what was seen of the grade: one that is another by now stays, and 409 `grades.changed_meanwhile` says so.',
    query: z.object({ score: QueryScore.optional(), status: MarkCodeName.optional() }),
    reply: Done,
    fails: ['grades.not_your_subject', 'grades.changed_meanwhile'],
  }),
}
