import { z } from 'zod'
import { failures } from '../failures.ts'
import { limits } from '../limits.ts'
import { endpoint } from './endpoint.ts'
import { choice, Id, Issue, QueryFlag, row } from './scalars.ts'

/** `row` is the line of the sheet, its heading being 1; an issue's `path` is the column. A dry run answers the same. */
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

export const importFailures = failures('imports', {
  unreadable: [400, 'The file could not be read. It must be an XLSX or CSV table.'],
  missingColumns: [400, 'The table lacks a column that is needed.'],
  tooManyRows: [413, `The table has more than ${limits.importRows} rows.`],
  rowsHaveErrors: [400, 'Some rows are not right. Nothing was changed.'],
})

const unusable = ['imports.unreadable', 'imports.missing_columns', 'imports.too_many_rows', 'imports.rows_have_errors'] as const

export const imports = {
  students: endpoint({
    method: 'POST',
    path: '/api/students/import',
    guard: 'admin',
    summary: 'Import students and their classes from a table',
    targets: ['academicYearId'],
    query: z.object({ academicYearId: Id.optional(), dryRun: DryRun }),
    body: 'multipart',
    reply: ImportReport,
    fails: [...unusable],
  }),
  grades: endpoint({
    method: 'POST',
    path: '/api/grades/import',
    guard: 'staff',
    summary: 'Import grades from a table or a mark sheet',
    targets: ['assessmentId', 'studentGroupId', 'termId', 'subjectId'],
    query: GradesImportQuery,
    body: 'multipart',
    reply: ImportReport,
    fails: [...unusable, 'grades.not_your_subject'],
  }),
  gradeSheet: endpoint({
    method: 'GET',
    path: '/api/grades/sheet',
    guard: 'staff',
    summary: 'Download a mark sheet that the import reads',
    targets: ['studentGroupId', 'termId', 'subjectId'],
    query: Sheet,
    reply: 'binary',
  }),
}
