import { z } from 'zod'
import { fillGradingModel } from '../domain/gradingModel.ts'
import { type Issue as FailureIssue, failures } from '../failures.ts'
import { limits } from '../limits.ts'
import { endpoint } from './endpoint.ts'
import { GradingBands, GradingScale } from './grading-scale.ts'
import {
  choice,
  Day,
  Done,
  Flag,
  Id,
  Instant,
  Issue,
  ids,
  input,
  Name,
  Percentage,
  QueryFlag,
  reportIssues,
  row,
  say,
  spanIssues,
} from './scalars.ts'
import { NewTerms, termsOutside } from './terms.ts'

const GradingModel = choice(['term_based', 'year_based'])
export const CalculationModel = choice(['weighted_cumulative', 'weighted_continuous', 'continuous_cumulative'])

/** The year weights are null in a `term_based` year (decisions §4). The scale is the year's own; null where the school's scale applies. */
export const AcademicYear = row('AcademicYear', {
  id: Id,
  name: z.string(),
  start_date: Day,
  end_date: Day,
  grading_model: GradingModel,
  calculation_model: CalculationModel,
  year_exam_weight: z.number().nullable(),
  year_coursework_weight: z.number().nullable(),
  scale_pass_mark: z.number().nullable(),
  scale_bands: GradingScale.shape.bands.nullable(),
  is_active: Flag,
  created_at: Instant,
  updated_at: Instant,
})
export type AcademicYear = z.infer<typeof AcademicYear>

export const AcademicYearInput = input({
  name: Name,
  startDate: Day,
  endDate: Day,
  gradingModel: GradingModel,
  calculationModel: CalculationModel.nullish(),
  yearExamWeight: Percentage.nullish(),
  yearCourseworkWeight: Percentage.nullish(),
  scalePassMark: Percentage.nullish(),
  scaleBands: GradingBands.nullish(),
})
export type AcademicYearInput = z.infer<typeof AcademicYearInput>

/** A year states both a pass mark and bands, or neither. */
export const yearScaleIssues = ({ scalePassMark, scaleBands }: Partial<AcademicYearInput>): FailureIssue[] =>
  ((scalePassMark ?? null) === null) === ((scaleBands ?? null) === null)
    ? []
    : [{ path: 'scaleBands', message: 'must be given together with the pass mark, or neither' }]

/** A new year. Optionally its terms, whether it becomes the active year, and whether it may resemble another year of the school. */
const NewAcademicYear = input({
  ...AcademicYearInput.shape,
  terms: NewTerms.optional(),
  isActive: Flag.optional(),
  mayRepeat: Flag.optional(),
})

/** The contradictions within a whole year. On a change the server runs the same check on the merged row. */
const academicYearIssues = (year: z.infer<typeof NewAcademicYear>): FailureIssue[] => {
  const filled = fillGradingModel({
    grading_model: year.gradingModel,
    calculation_model: year.calculationModel,
    year_exam_weight: year.yearExamWeight,
    year_coursework_weight: year.yearCourseworkWeight,
  })
  return [
    ...spanIssues(year),
    ...('issues' in filled ? filled.issues : []),
    ...yearScaleIssues(year),
    ...termsOutside(year.terms ?? [], year),
  ]
}

/**
 * What the roll-over does to each class: numbers of pupils, teachers and subjects. `class_id` is null for a new class in a dry run,
 * `from_class_id` where the class continues no earlier class.
 * `left`: pupils made inactive; `left_with_drafts`: those of them with report books in draft. `unplaced`: active pupils of the same
 * earlier years who are in no class of this year afterwards. `categories`, `sets`: copied categories and teaching sets; `set_places`:
 * pupils placed in sets; `scale`: whether a scale is copied; `terms`: terms created. `issues` concern the pupils who leave, and what is
 * copied or created besides the classes.
 */
const RollOver = row('RollOver', {
  dry_run: Flag,
  classes: z.array(
    z.object({
      from_class_id: Id.nullable(),
      name: z.string(),
      students: z.int(),
      teachers: z.int(),
      subjects: z.int(),
      class_id: Id.nullable(),
      issues: z.array(Issue),
    }),
  ),
  left: z.int(),
  left_with_drafts: z.int(),
  unplaced: z.int(),
  categories: z.int(),
  scale: Flag,
  sets: z.int(),
  set_places: z.int(),
  terms: z.int(),
  issues: z.array(Issue),
})

const RolledClass = input({
  fromClassId: Id.optional(),
  alsoFromClassIds: ids({ max: limits.classesPerRollOver }).optional(),
  name: Name.optional(),
  intoClassId: Id.optional(),
  classTeacherId: Id.optional(),
  studentIds: ids({ max: limits.studentsPerRequest }).optional(),
  otherStudentIds: ids({ max: limits.studentsPerRequest }).optional(),
})
export type RolledClass = z.infer<typeof RolledClass>

/** A new class has a name. An existing class only receives pupils. */
const rolledClassIssues = (one: RolledClass): FailureIssue[] => {
  if ((one.name === undefined) === (one.intoClassId === undefined)) return [{ path: 'name', message: 'must be said unless intoClassId is' }]
  const copied = (['fromClassId', 'alsoFromClassIds', 'classTeacherId', 'studentIds'] as const).filter((key) => one[key] !== undefined)
  if (one.intoClassId !== undefined) return copied.map((path) => ({ path, message: 'cannot be said with intoClassId' }))
  const needFrom = (['alsoFromClassIds', 'studentIds'] as const).filter((key) => one[key] !== undefined && one.fromClassId === undefined)
  return needFrom.map((path) => ({ path, message: 'needs fromClassId' }))
}

/** The one code that decisions §4 name without a resource. */
export const activeYearFailures = failures('', {
  noActiveYear: [404, 'No academic year is active yet.'],
})

export const academicYearFailures = failures('academic_years', {
  isActive: [409, 'The active year cannot be deleted.'],
  inUse: [409, 'This year has assessments, grades or reports and cannot be deleted.'],
  repeated: [409, 'The school already has a year of this name, or of these days.'],
  termsOutside: [400, 'A term of this year would lie outside its days.'],
  hasYearReports: [409, 'This year has year-end reports, so it must stay graded as a whole year.'],
  rollOverIssues: [409, 'Some classes cannot be opened. Nothing was changed.'],
})

export const academicYears = {
  list: endpoint('GET /api/academic-years', 'school', 'List the academic years, newest first', { reply: z.array(AcademicYear) }),
  active: endpoint('GET /api/academic-years/active', 'school', 'Read the active year', { reply: AcademicYear, fails: ['no_active_year'] }),
  get: endpoint('GET /api/academic-years/:id', 'school', 'Read an academic year', { reply: AcademicYear }),
  create: endpoint('POST /api/academic-years', 'admin', 'Create an academic year', {
    notes:
      '`terms`: its terms, made together with it, all or nothing; their days lie within it. `isActive`: it becomes the active year in the same transaction, and any other inactive. `mayRepeat` false refuses a year that has the name of another, but for case, accents and spaces, or its days: somebody else has probably just added it.',
    status: 201,
    body: NewAcademicYear.check((context) => reportIssues(context, academicYearIssues(context.value))),
    reply: AcademicYear,
    fails: ['academic_years.repeated'],
  }),
  update: endpoint('PATCH /api/academic-years/:id', 'admin', 'Change an academic year', {
    body: AcademicYearInput.partial(),
    reply: AcademicYear,
    fails: ['academic_years.terms_outside', 'academic_years.has_year_reports'],
  }),
  activate: endpoint('PATCH /api/academic-years/:id/activate', 'admin', 'Make this the active year instead of any other', {
    reply: AcademicYear,
  }),
  deactivate: endpoint('PATCH /api/academic-years/:id/deactivate', 'admin', 'Make the year inactive', { reply: AcademicYear }),
  remove: endpoint('DELETE /api/academic-years/:id', 'admin', 'Delete an academic year', {
    reply: Done,
    fails: ['academic_years.is_active', 'academic_years.in_use'],
  }),
  // The classes are created in the year of the path; each `fromClassId` is a class of another year.
  rollOver: endpoint('POST /api/academic-years/:id/roll-over', 'admin', 'Open the classes of this year from those of an earlier one', {
    notes:
      'A class with `fromClassId` has the teachers, subjects and pupils (`studentIds`, or all who are active) of that class, and of those in `alsoFromClassIds`. `otherStudentIds` join it from any other class, or from none. `intoClassId` names a class that this year has already. `leavingStudentIds` are made inactive. `categoriesFromYearId` names an earlier year whose categories of assessments this year gets, but for those that it has and those of inactive subjects; `scaleFromYearId` one whose own scale it gets, where it has none of its own; `setsFromYearId` one whose teaching sets it gets, but for those of inactive subjects, with the teachers who still teach here and the pupils who have a class in this year afterwards and are not in `outOfSetsStudentIds`, such as those who repeat. A set of that subject and name that it has already gets those pupils alone who get their class now. `terms`: terms of this year that are made with it; their days lie within it, and no name is there twice. All or nothing.',
    query: z.object({ dryRun: QueryFlag.prefault('false') }),
    body: input({
      classes: z
        .array(
          RolledClass.check((context) => reportIssues(context, rolledClassIssues(context.value))),
          say('must be a list of classes'),
        )
        .max(limits.classesPerRollOver, `must name at most ${limits.classesPerRollOver} classes`),
      leavingStudentIds: ids({ max: limits.studentsPerRequest }).optional(),
      categoriesFromYearId: Id.optional(),
      scaleFromYearId: Id.optional(),
      setsFromYearId: Id.optional(),
      outOfSetsStudentIds: ids({ max: limits.studentsPerRequest }).optional(),
      terms: NewTerms.optional(),
    }).check((context) => {
      const {
        classes,
        leavingStudentIds = [],
        terms = [],
        categoriesFromYearId,
        scaleFromYearId,
        setsFromYearId,
        outOfSetsStudentIds,
      } = context.value
      if (outOfSetsStudentIds !== undefined && setsFromYearId === undefined)
        reportIssues(context, [{ path: 'outOfSetsStudentIds', message: 'needs setsFromYearId' }])
      if (classes.length + leavingStudentIds.length + terms.length > 0) return
      if ([categoriesFromYearId, scaleFromYearId, setsFromYearId].some((id) => id !== undefined)) return
      reportIssues(context, [{ path: 'classes', message: 'must name at least one class' }])
    }),
    reply: RollOver,
    fails: ['academic_years.roll_over_issues'],
  }),
}
