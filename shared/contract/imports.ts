import { z } from 'zod'
import { failures } from '../failures.ts'
import { dayForms } from '../spreadsheet/days.ts'
import { endpoint } from './endpoint.ts'
import { choice, Id, Instant, Issue, Person, QueryFlag, row } from './scalars.ts'

/**
 * The reply to an import. A dry run replies what a real run would do. A real run writes everything where `errors` is 0, and nothing
 * otherwise.
 * `row` is the line of the sheet; the `path` of an issue is the column. Issues of a row without an error are notes: the row is imported.
 * An issue of the whole table stands at row 1, the heading, which is counted only where the issue is an error. `id` names the import for
 * undoing it; null where nothing was written.
 */
export const ImportReport = row('ImportReport', {
  id: Id.nullable(),
  rows: z.array(z.object({ row: z.int(), action: choice(['create', 'update', 'unchanged', 'error']), issues: z.array(Issue) })),
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  errors: z.int(),
})
export type ImportReport = z.infer<typeof ImportReport>

/** An import that wrote something. `actor` made it, null where the service did; `undone_at` is null until it is undone. */
export const PastImport = row('PastImport', {
  id: Id,
  at: Instant,
  actor: Person.nullable(),
  kind: choice(['students', 'grades']),
  file: z.string(),
  created: z.int(),
  updated: z.int(),
  student_group_id: Id.nullable(),
  teaching_set_id: Id.nullable(),
  term_id: Id.nullable(),
  subject_id: Id.nullable(),
  undone_at: Instant.nullable(),
  undoable_until: Instant,
})
export type PastImport = z.infer<typeof PastImport>

/**
 * What undoing an import reverts, and what it keeps. `why`: the field has another value by now (`changed`); the pupil has marks or a
 * report (`results`), or is in a class or takes subjects that the import did not state (`used`); the earlier mark is above the present
 * maximum (`maximum`); the caller has no right to the pupil any more (`rights`).
 */
export const ImportUndo = row('ImportUndo', {
  removed: z.int(),
  restored: z.int(),
  kept: z.int(),
  rows: z.array(
    z.object({
      entity: choice(['student', 'enrolment', 'grade']),
      row_id: Id,
      name: z.string(),
      why: choice(['changed', 'results', 'used', 'maximum', 'rights']),
    }),
  ),
})
export type ImportUndo = z.infer<typeof ImportUndo>

const DryRun = QueryFlag.prefault('false')

/** A sheet is for one term, and for either a class and a subject, or a teaching set, whose subject is known. */
const Sheet = z.object({ studentGroupId: Id.optional(), teachingSetId: Id.optional(), termId: Id, subjectId: Id.optional() })
const SHEETS = ['studentGroupId,termId,subjectId', 'teachingSetId,termId'] as const
const namesOneOf =
  (choices: readonly string[]) =>
  (query: Readonly<Record<string, unknown>>): boolean => {
    const ids = ['assessmentId', 'studentGroupId', 'teachingSetId', 'termId', 'subjectId'].filter((name) => query[name] !== undefined)
    return choices.includes(ids.join(','))
  }

const SheetQuery = Sheet.refine(namesOneOf(SHEETS), {
  path: ['studentGroupId'],
  message: 'must be given with termId and subjectId, or teachingSetId with termId instead of it',
})

const GradesImportQuery = Sheet.partial()
  .extend({ assessmentId: Id.optional(), dryRun: DryRun })
  .refine(namesOneOf(['assessmentId', ...SHEETS]), {
    path: ['assessmentId'],
    message: 'must be given alone, or studentGroupId, termId and subjectId, or teachingSetId and termId together instead of it',
  })

/** Why a file cannot be read as a table. Faults of single rows are in the report instead, in a real run too. */
export const importFailures = failures('imports', {
  unreadable: [400, 'This file cannot be read. Open it, save it again as .xlsx or .csv, and send that file.'],
  duplicateColumn: [400, 'Two columns of this file have the same name.'],
  missingColumns: [400, 'The table lacks a column that is needed.'],
  tooLarge: [413, 'This file is too large to import.'],
  wrongType: [415, 'This is not a spreadsheet that can be imported. Save it as .xlsx or .csv.'],
  undone: [409, 'This import was undone already.'],
  tooOld: [409, 'An import can be undone for 30 days.'],
})

const unusable = [
  'imports.unreadable',
  'imports.duplicate_column',
  'imports.missing_columns',
  'imports.too_large',
  'imports.wrong_type',
] as const

const WHOLE =
  ' A dry run reports every row and changes nothing; a real run has written everything where `errors` is 0, and nothing at all where it is not.'
const STUDENT_COLUMNS =
  'XLSX or CSV with the columns first_name, last_name, gender (male, female, other), date_of_birth and enrollment_date (2011-03-25), student_number and class (of the active year, or of `academicYearId`). `days` says how days are written where the table leaves it open: 25/03/2011 (`day_first`), 03/25/2011 (`month_first`), a spreadsheet’s number such as 40627 (`numbers`). A pupil is known by student number, else by names and date of birth.'
const GRADE_COLUMNS =
  'XLSX or CSV: for one assessment the columns student_number, or last_name and first_name, then score and remarks; or a whole mark sheet as it was downloaded. 12,5 is 12.5; an empty score leaves the mark as it is.'

export const imports = {
  students: endpoint('POST /api/students/import', 'admin', 'Import students and their classes from a table', {
    notes: STUDENT_COLUMNS + WHOLE,
    query: z.object({ academicYearId: Id.optional(), days: choice(dayForms).optional(), dryRun: DryRun }),
    body: 'multipart',
    reply: ImportReport,
    fails: [...unusable],
  }),
  grades: endpoint('POST /api/grades/import', 'staff', 'Import grades from a table or a mark sheet', {
    notes: GRADE_COLUMNS + WHOLE,
    targets: ['assessmentId', 'studentGroupId', 'teachingSetId', 'termId', 'subjectId'],
    query: GradesImportQuery,
    body: 'multipart',
    reply: ImportReport,
    fails: [...unusable, 'grades.not_your_subject'],
  }),
  gradeSheet: endpoint('GET /api/grades/sheet', 'staff', 'Download a mark sheet that the import reads', {
    notes: 'Of a class in a subject, or of a teaching set with the pupils of all its classes.',
    query: SheetQuery,
    reply: 'binary',
  }),
  list: endpoint('GET /api/imports', 'staff', 'List the imports of the last 30 days, newest first', {
    who: 'Administrators see everything; teachers the imports that they made themselves.',
    reply: z.array(PastImport),
  }),
  undo: endpoint('POST /api/imports/:id/undo', 'staff', 'Take back what an import wrote', {
    who: 'Administrators; of marks also whoever made the import.',
    notes:
      'Whatever somebody has changed since stays as it is; `rows` lists the first 200 of these. All else is taken back in one transaction. A dry run answers the same and changes nothing.',
    query: z.object({ dryRun: DryRun }),
    reply: ImportUndo,
    fails: ['imports.undone', 'imports.too_old', 'grades.not_your_subject'],
  }),
}
