import { z } from 'zod'
import { failures } from '../failures.ts'
import { limits } from '../limits.ts'
import { CLASS_TEACHER, endpoint } from './endpoint.ts'
import { ReportPdf, ReportType } from './reports.ts'
import { choice, Id, Instant, input, QueryFlag, row, say } from './scalars.ts'
import { DocumentLanguage } from './schools.ts'

const FileType = choice(['pdf', 'csv', 'xlsx'])
const Paper = choice(['A4', 'Letter'])

/** A document of a whole class and term, uploaded or generated. `generated_at` is the time of either. */
export const ClassReportFile = row('ClassReportFile', {
  id: Id,
  student_group_id: Id,
  term_id: Id,
  report_type: ReportType,
  file_type: FileType,
  file_path: z.string(),
  file_size: z.int(),
  generated_by: Id.nullable(),
  generated_at: Instant,
})
export type ClassReportFile = z.infer<typeof ClassReportFile>

export const reportFileFailures = failures('reports', {
  noSuchFile: [400, 'There is no file of that size at that path among the files of this report.'],
  noBooks: [404, 'No reports have been generated for this class and term yet.'],
  noPdf: [404, 'There is no PDF of this report yet.'],
  noClassFile: [404, 'There is no such file of this class and term yet.'],
  fileAway: [404, 'This file is still on its way from the server where it was made. Please try again later.'],
  wrongContent: [415, 'This file is not what it says it is.'],
})

const ofClass = { studentGroupId: Id, termId: Id, reportType: ReportType }
const FilePath = z
  .string(say('must be the path of a file'))
  .max(limits.text.filePath, `must have at most ${limits.text.filePath} characters`)
  .regex(/^[\w-]+(\.[\w-]+)*(\/[\w-]+(\.[\w-]+)*)*$/, 'must be the path of a file: letters, digits, - _ . and / between folders')
const FileSize = z
  .int(say('must be a size in bytes'))
  .min(1, 'must be at least 1')
  .max(limits.reportFileBytes, `must be at most ${limits.reportFileBytes}`)
/** By default A4, and the language of the school. */
const OnPaper = z.object({ paper: Paper.optional(), language: DocumentLanguage.optional() })

const MEGABYTES = limits.reportFileBytes / 1_048_576

// Fixed paths (archive, print) come before `/api/reports/:id`, which would match them too, so this resource stands before `reports`.
export const reportFiles = {
  archive: endpoint('GET /api/reports/archive', 'staff', 'Download the latest PDF of every report of a class and term in one zip', {
    who: CLASS_TEACHER,
    notes: 'A report without a PDF is named in the text file beside them.',
    query: z.object(ofClass),
    reply: 'binary',
    fails: ['reports.no_pdf'],
  }),
  print: endpoint('GET /api/reports/print', 'staff', 'Make one PDF of the reports of a class and term, for printing', {
    who: CLASS_TEACHER,
    notes:
      'Of all, or with `studentId` of one student. With `twoSided` every report begins on a sheet of its own. It is made anew each time and kept nowhere.',
    query: OnPaper.extend({ ...ofClass, studentId: Id.optional(), twoSided: QueryFlag.optional() }),
    reply: 'binary',
    fails: ['reports.no_books'],
  }),
  classFiles: endpoint('GET /api/reports/class-summary/files', 'staff', 'List the stored files of a class and term, newest first', {
    who: CLASS_TEACHER,
    query: z.object(ofClass),
    reply: z.array(ClassReportFile),
  }),
  downloadClassFile: endpoint(
    'GET /api/reports/class-summary/download',
    'staff',
    'Download the newest file of a class and term of one type',
    {
      who: CLASS_TEACHER,
      query: z.object({ ...ofClass, fileType: FileType }),
      reply: 'binary',
      fails: ['reports.no_class_file', 'reports.file_away'],
    },
  ),
  uploadClassFile: endpoint('POST /api/reports/class-summary/upload', 'staff', 'Upload a file of a class and term', {
    who: CLASS_TEACHER,
    notes: `At most ${MEGABYTES} MB. Its content has to be of the type that is said.`,
    status: 201,
    body: 'multipart',
    form: input({ ...ofClass, fileType: FileType }),
    fileBytes: limits.reportFileBytes,
    reply: ClassReportFile,
    fails: ['reports.wrong_content'],
  }),
  generateClassFile: endpoint(
    'POST /api/reports/class-summary/generate',
    'staff',
    'Make the summary and broadsheet of a class and term, and store it',
    {
      who: CLASS_TEACHER,
      status: 201,
      query: OnPaper,
      body: input({ ...ofClass, fileType: FileType }),
      reply: ClassReportFile,
      fails: ['reports.no_year_end'],
    },
  ),
  generatePdfs: endpoint('POST /api/reports/generate-pdfs', 'staff', 'Make a PDF of every report of a class and term', {
    who: CLASS_TEACHER,
    notes: 'Answers at once with a job to follow. Reports that were sent to the ministry get no further PDF and stand among its failures.',
    status: 202,
    query: OnPaper,
    body: input(ofClass),
    reply: row('JobStarted', { job_id: Id }),
    fails: ['reports.no_books', 'jobs.too_many'],
  }),
  recordPdf: endpoint('POST /api/reports/:id/pdf', 'school', 'Record a PDF of a report that is stored already', {
    who: CLASS_TEACHER,
    notes: 'The path has to be one of this report’s folder, `<report id>/…`.',
    status: 201,
    body: input({ filePath: FilePath, fileSize: FileSize }),
    reply: ReportPdf,
    fails: ['reports.locked', 'reports.no_such_file'],
  }),
  uploadPdf: endpoint('POST /api/reports/:id/pdf/upload', 'school', 'Upload a PDF of a report', {
    who: CLASS_TEACHER,
    notes: `At most ${MEGABYTES} MB. The server chooses where it is stored, and never writes over another.`,
    status: 201,
    body: 'multipart',
    fileBytes: limits.reportFileBytes,
    reply: ReportPdf,
    fails: ['reports.locked', 'reports.wrong_content'],
  }),
  generatePdf: endpoint('POST /api/reports/:id/pdf/generate', 'school', 'Make the PDF of a report and store it', {
    who: CLASS_TEACHER,
    status: 201,
    query: OnPaper,
    reply: ReportPdf,
    fails: ['reports.locked', 'reports.changed_while_drawn'],
  }),
  pdfs: endpoint('GET /api/reports/:id/pdfs', 'school', 'List the PDFs of a report, newest first', {
    who: CLASS_TEACHER,
    reply: z.array(ReportPdf),
  }),
  latestPdf: endpoint('GET /api/reports/:id/pdf/latest', 'school', 'Read the record of a report’s newest PDF', {
    who: CLASS_TEACHER,
    reply: ReportPdf,
    fails: ['reports.no_pdf'],
  }),
  downloadPdf: endpoint('GET /api/reports/:id/pdf/:pdfId/download', 'school', 'Download a PDF of a report', {
    who: CLASS_TEACHER,
    notes: 'Parts of it by the header Range.',
    reply: 'binary',
    fails: ['reports.file_away'],
  }),
}
