import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { toInstant } from '@markbook/shared/clock'
import type { Cell } from '@markbook/shared/spreadsheet/table'
import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'
import type { Replicated } from '@markbook/shared/tables/tables'
import { XLSX_TYPE } from '../../documents/sheet-kind.ts'
import { imageObject } from '../../files/image-address.ts'
import type { Bucket } from '../../files/storage.ts'
import type { Services } from '../../http/services.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'
import { version } from '../../version.ts'
import { actingAs } from '../act-as.ts'
import { kindsOf, toCell, toTable } from './cells.ts'
import { MANIFEST, Manifest, manifestText } from './manifest.ts'
import { PartsFolder, SortedLines } from './parts.ts'
import { RESULTS, type Readable, readableMarks, readableReports, type Table, writeResults } from './readable.ts'
import { type AnyRow, exportedTables, notePeople, pagesOfHistory, pagesOfPeople, pagesOfSchool, type SchoolRows } from './rows.ts'

type ExportOptions = { schoolId: string; adminId: string; into: string; log: (line: string) => void }
export type Exported = { manifest: Manifest; missing: string[] }

const HISTORY = ['at', 'actor_id', 'node_id', 'entity', 'row_id', 'action', 'changes', 'seq'] as const
const STUDENTS = ['student_number', 'last_name', 'first_name', 'gender', 'date_of_birth', 'enrollment_date', 'is_active', 'class'] as const

/** Tables of which the rows stay in memory, for others are written with their names. Of the others each row is written as it is read. */
const KEPT = new Set<Replicated>([
  'school',
  'academic_year',
  'active_year',
  'term',
  'student_group',
  'class_teacher',
  'subject',
  'student',
  'enrolment',
  'assessment',
  'report_book',
  'user_profile',
])

/**
 * All that a school has here, in open formats (docs/design/imports.md), written into the folder `into`, which is for it alone. Results are
 * computed as the administrator would see them. `missing`: files that rows name and that are not stored.
 */
export async function exportSchool(services: Services, { schoolId, adminId, into, log }: ExportOptions): Promise<Exported> {
  const { store, clock } = services
  const parts = new PartsFolder(into)
  const sorting = `${into}.sorting`
  try {
    const { rows, counts, stored, heads } = await store.read(asSystem(), (tx) => writeRows(tx, schoolId, parts, sorting))
    const school = rows.school?.[0]
    if (!school) throw new Error('the school is not there')
    log('Computing the results')
    const results = parts.table('results.csv', RESULTS)
    await actingAs(services, adminId, (api) => writeResults(api, rows, results.add))
    results.end()
    log('Collecting the files')
    const { files, missing } = await collectFiles(services, stored, parts)
    const about = {
      format: 'markbook-export/1' as const,
      version,
      schema: SCHEMA_VERSION,
      made_at: toInstant(clock.now()),
      school: { id: school.id, name: String(school['name']) },
      counts,
      files,
    }
    parts.text('README.md', readme(about, { ...heads, 'results.csv': RESULTS }))
    const manifest = Manifest.parse({ ...about, parts: [...parts.written] })
    parts.text(MANIFEST, manifestText(manifest))
    return { manifest, missing }
  } finally {
    rmSync(sorting, { recursive: true, force: true })
  }
}

/** Every row once, in one view of the database, and in no more memory than the kept tables take. */
async function writeRows(tx: ReadTx, schoolId: string, parts: PartsFolder, sorting: string) {
  const rows: SchoolRows = {}
  const counts: Record<string, number> = {}
  const people = new Set<unknown>()
  const stored: Stored[] = []
  const [marks, entries] = [new SortedLines(join(sorting, 'marks'), 3), new SortedLines(join(sorting, 'reports'), 3)]
  const write = async (table: Replicated, pages: AsyncGenerator<AnyRow[]>, also: (row: AnyRow) => void = () => {}) => {
    const own = toTable(table, [])
    const file = parts.table(`tables/${table}.csv`, own.head)
    const kept: AnyRow[] = []
    counts[table] = 0
    for await (const page of pages) {
      for (const line of toTable(table, page).rows) file.add(line)
      for (const row of page) {
        notePeople(row, people)
        also(row)
      }
      stored.push(...storedBy({ [table]: page }))
      counts[table] += page.length
      if (KEPT.has(table)) kept.push(...page)
    }
    file.end()
    rows[table] = kept
  }
  const streamed = exportedTables.filter((table) => !KEPT.has(table))
  for (const table of exportedTables)
    if (KEPT.has(table) && table !== 'user_profile') await write(table, pagesOfSchool(tx, table, schoolId))
  const [ofMarks, ofReports] = [readableMarks(rows), readableReports(rows)]
  const sortInto =
    (sorted: SortedLines, { lineOf }: Readable) =>
    (row: AnyRow) => {
      const line = lineOf(row)
      if (line) sorted.add(line)
    }
  const also: Partial<Record<Replicated, (row: AnyRow) => void>> = {
    grade: sortInto(marks, ofMarks),
    report_book_entry: sortInto(entries, ofReports),
  }
  for (const table of streamed) await write(table, pagesOfSchool(tx, table, schoolId), also[table])
  await write('user_profile', pagesOfPeople(tx, people))
  const heads: Record<string, readonly string[]> = {}
  const lay = (path: string, head: readonly string[], lines: Iterable<readonly Cell[]>) => {
    heads[path] = head
    const file = parts.table(path, head)
    for (const line of lines) file.add(line)
    file.end()
  }
  const [students, classes] = [studentsTable(rows), classesTable(rows)]
  lay('students.csv', students.head, students.rows)
  lay('classes.csv', classes.head, classes.rows)
  lay('marks.csv', ofMarks.head, marks.inOrder())
  lay('reports.csv', ofReports.head, entries.inOrder())
  heads['history.csv'] = HISTORY
  const history = parts.table('history.csv', HISTORY)
  for await (const page of pagesOfHistory(tx, schoolId)) for (const entry of page) history.add(HISTORY.map((name) => toCell(entry[name])))
  history.end()
  return { rows, counts, stored, heads }
}

/** In the columns that the import of students reads; the class is the one of the active year. */
function studentsTable({ student = [], enrolment = [], student_group = [], active_year = [] }: SchoolRows): Table {
  const year = active_year[0]?.['academic_year_id']
  const groups = new Map(student_group.map((group) => [group.id, group['name']]))
  const places = new Map(
    enrolment.filter((row) => row['academic_year_id'] === year).map((row) => [row['student_id'], row['student_group_id']]),
  )
  const rows = student.map((row) => STUDENTS.map((name) => toCell(name === 'class' ? groups.get(String(places.get(row.id))) : row[name])))
  return { head: [...STUDENTS], rows }
}

function classesTable({
  student_group = [],
  academic_year = [],
  class_teacher = [],
  user_profile = [],
  enrolment = [],
}: SchoolRows): Table {
  const years = new Map(academic_year.map((year) => [year.id, year['name']]))
  const people = new Map(user_profile.map((person) => [person.id, person['email']]))
  const teachers = new Map(class_teacher.map((row) => [row['student_group_id'], people.get(String(row['user_profile_id']))]))
  const rows = student_group.map((group) => [
    toCell(years.get(String(group['academic_year_id']))),
    toCell(group['name']),
    toCell(teachers.get(group.id)),
    enrolment.filter((row) => row['student_group_id'] === group.id).length,
  ])
  return { head: ['year', 'class', 'class_teacher', 'students'], rows }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

type Stored = { bucket: Bucket; path: string; type: string }
const FILE_TYPES: Record<string, string> = { pdf: 'application/pdf', csv: 'text/csv', xlsx: XLSX_TYPE }

/** What the rows name as stored. */
function storedBy({ user_profile = [], school = [], report_book_pdf = [], class_report_file = [] }: SchoolRows): Stored[] {
  const picture = (row: Record<string, unknown>, name: string): Stored[] =>
    row[`${name}_path`]
      ? [
          {
            bucket: 'images',
            path: imageObject(String(row[`${name}_path`]), textOf(row[`${name}_sha256`])),
            type: String(row[`${name}_type`]),
          },
        ]
      : []
  const paper = (row: Record<string, unknown>, kind: string): Stored => {
    return { bucket: 'report-books', path: String(row['file_path']), type: FILE_TYPES[kind] ?? 'application/octet-stream' }
  }
  return [
    ...user_profile.flatMap((row) => picture(row, 'avatar')),
    ...school.flatMap((row) => picture(row, 'crest')),
    ...report_book_pdf.map((row) => paper(row, 'pdf')),
    ...class_report_file.map((row) => paper(row, String(row['file_type']))),
  ]
}

async function collectFiles({ files: storage }: Services, stored: readonly Stored[], parts: PartsFolder) {
  const files: Manifest['files'] = []
  const missing: string[] = []
  for (const { bucket, path, type } of stored) {
    const opened = await storage.open(bucket, path)
    if (!opened) {
      missing.push(`${bucket}/${path}`)
      continue
    }
    const part = `files/${bucket}/${path}`
    await parts.file(part, opened.body)
    files.push({ part, bucket, path, content_type: opened.object.contentType || type })
  }
  return { files, missing }
}

const KINDS = { text: 'text', number: 'number', flag: 'true or false', json: 'JSON' }

/** What is in an export, for whoever opens it in ten years without this program. */
function readme({ school, made_at, version, counts }: Omit<Manifest, 'parts'>, heads: Record<string, readonly string[]>): string {
  return `# Everything of ${school.name}

Made at ${made_at} by Markbook ${version}. All files are CSV: UTF-8, commas, one line of names of columns, an empty cell for what is not there. Every spreadsheet program opens them. A text that begins with = + - or @ has an apostrophe before it, so that no program takes it for a formula; it is not part of the text. Days are YYYY-MM-DD, times are UTC.

To read:

${Object.entries(heads)
  .map(([file, head]) => `- \`${file}\`: ${head.join(', ')}`)
  .join('\n')}

In \`results.csv\` the term \`year\` stands for the whole year, and a line without a subject for all subjects together. \`history.csv\` says who changed what and when, before and after.

\`files\` holds the uploaded pictures and report cards; \`export.json\` says of each what it is, and the size and SHA-256 digest of every file here.

## The tables

\`tables\` has one file for each table of the database, every column of it. A column that ends with _id names a row of another table by its \`id\`. Markbook reads them back with \`markbook import school <this folder> --as <email>\`. Sign-in apps and printed codes are not part of it: everybody sets them up anew.

${exportedTables.map((table) => `### ${table} (${counts[table] ?? 0})\n\n${columns(table)}`).join('\n\n')}
`
}

const columns = (table: (typeof exportedTables)[number]) =>
  kindsOf(table)
    .map(({ name, kind, required }) => `- \`${name}\`: ${KINDS[kind]}${required ? '' : ', may be empty'}`)
    .join('\n')
