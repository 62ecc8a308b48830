import { z } from 'zod'
import { failures } from '../failures.ts'
import { endpoint } from './endpoint.ts'
import { choice, Id, Issue, QueryFlag, row } from './scalars.ts'

/**
 * `row` is the line of the sheet; an issue's `path` is the column. What concerns the whole table stands at row 1, its heading, which
 * counts only where it is an error. A dry run answers what a real one would do. A real run has written everything where `errors` is
 * 0, and nothing at all where it is not.
 */
export const ImportReport = row('ImportReport', {
  rows: z.array(z.object({ row: z.int(), action: choice(['create', 'update', 'unchanged', 'error']), issues: z.array(Issue) })),
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  errors: z.int(),
})
export type ImportReport = z.infer<typeof ImportReport>

const DryRun = QueryFlag.prefault('false')
const Sheet = z.object({ studentGroupId: Id, termId: Id, subjectId: Id })

const GradesImportQuery = Sheet.partial()
  .extend({ assessmentId: Id.optional(), dryRun: DryRun })
  .refine(
    ({ assessmentId, studentGroupId, termId, subjectId }) => {
      const named = [studentGroupId, termId, subjectId].filter((id) => id !== undefined).length
      return assessmentId === undefined ? named === 3 : named === 0
    },
    { path: ['assessmentId'], message: 'must be given alone, or studentGroupId, termId and subjectId together instead of it' },
  )

/** Why a file cannot be taken as a table. What is wrong in a row stands in the report instead, of a real run too. */
export const importFailures = failures('imports', {
  unreadable: [400, 'This file cannot be read. Open it, save it again as .xlsx or .csv, and send that file.'],
  duplicateColumn: [400, 'Two columns of this file have the same name.'],
  missingColumns: [400, 'The table lacks a column that is needed.'],
  tooLarge: [413, 'This file is too large to import.'],
  wrongType: [415, 'This is not a spreadsheet that can be imported. Save it as .xlsx or .csv.'],
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
  'XLSX or CSV with the columns first_name, last_name, gender (male, female, other), date_of_birth and enrollment_date (2011-03-25), student_number and class (of the active year, or of `academicYearId`). A pupil is known by student number, else by names and date of birth.'
const GRADE_COLUMNS =
  'XLSX or CSV: for one assessment the columns student_number, or last_name and first_name, then score and remarks; or a whole mark sheet as it was downloaded. 12,5 is 12.5; an empty score leaves the mark as it is.'

export const imports = {
  students: endpoint('POST /api/students/import', 'admin', 'Import students and their classes from a table', {
    notes: STUDENT_COLUMNS + WHOLE,
    query: z.object({ academicYearId: Id.optional(), dryRun: DryRun }),
    body: 'multipart',
    reply: ImportReport,
    fails: [...unusable],
  }),
  grades: endpoint('POST /api/grades/import', 'staff', 'Import grades from a table or a mark sheet', {
    notes: GRADE_COLUMNS + WHOLE,
    targets: ['assessmentId', 'studentGroupId', 'termId', 'subjectId'],
    query: GradesImportQuery,
    body: 'multipart',
    reply: ImportReport,
    fails: [...unusable, 'grades.not_your_subject'],
  }),
  gradeSheet: endpoint('GET /api/grades/sheet', 'staff', 'Download a mark sheet that the import reads', {
    query: Sheet,
    reply: 'binary',
  }),
}
