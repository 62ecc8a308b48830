import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { toInstant } from '@markbook/shared/clock'
import type { Cell } from '@markbook/shared/spreadsheet/table'
import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'
import type { Replicated } from '@markbook/shared/tables/tables'
import { z } from 'zod'
import { memoryCache } from '../../cache/memory.ts'
import { XLSX_TYPE } from '../../documents/sheet-kind.ts'
import { imageObject } from '../../files/image-address.ts'
import { buckets } from '../../files/storage.ts'
import type { Services } from '../../http/services.ts'
import type { Progress } from '../../store/backup/engine.ts'
import { positionOfFeed } from '../../store/feed-position.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'
import { version } from '../../version.ts'
import { actingAs } from '../act-as.ts'
import { kindsOf, toCell, toTable } from './cells.ts'
import { MANIFEST, Manifest, manifestText } from './manifest.ts'
import { PartsFolder, SortedLines, STORED } from './parts.ts'
import { briefAssessment, RESULTS, type Readable, readableMarks, readableReports, type Table, writeResults } from './readable.ts'
import {
  type AnyRow,
  countOfSchool,
  exportedTables,
  notePeople,
  pagesOfHistory,
  pagesOfPeople,
  pagesOfSchool,
  type SchoolRows,
} from './rows.ts'

const Stored = z.object({ bucket: z.enum(buckets), path: z.string(), type: z.string() })
type Stored = z.infer<typeof Stored>

type ExportOptions = { schoolId: string; adminId: string; into: string; progress: Progress }
export type Exported = { manifest: Manifest; missing: string[]; kept: number }

const HISTORY = ['at', 'actor_id', 'node_id', 'entity', 'row_id', 'action', 'changes', 'seq'] as const
const STUDENTS = ['student_number', 'last_name', 'first_name', 'gender', 'date_of_birth', 'enrollment_date', 'is_active', 'class'] as const

/**
 * Tables whose rows stay in memory, because rows of other tables are written with their names; parents before children. Rows of the other
 * tables are written as they are read.
 */
const NAMED = [
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
] as const satisfies readonly Replicated[]
/** Tables that are also written as a CSV for people, beside the file of the table itself. */
const READABLE: Partial<Record<Replicated, { path: string; of: (rows: SchoolRows) => Readable }>> = {
  grade: { path: 'marks.csv', of: readableMarks },
  report_book_entry: { path: 'reports.csv', of: readableReports },
}

/**
 * Writes everything that a school has here, in open formats (docs/design/imports.md), into the folder `into`, which nothing else may use.
 * Results are computed as the administrator `adminId` would see them. Parts that an earlier run finished stay where nothing changed since.
 * Returns `missing`: files that rows name and the storage does not have; `kept`: the number of parts that stayed. Throws where the school
 * is not there.
 */
export async function exportSchool(services: Services, { schoolId, adminId, into, progress }: ExportOptions): Promise<Exported> {
  const { store, clock } = services
  const made = { version, schema: SCHEMA_VERSION }
  const sorting = `${into}.sorting`
  try {
    const { parts, rows, counts, stored, heads } = await store.read(asSystem(), async (tx) => {
      const position = await positionOfFeed(tx, schoolId)
      const parts = new PartsFolder(into, { ...made, school: schoolId, admin: adminId, position })
      return { parts, ...(await writeRows(tx, { schoolId, parts, sorting, progress })) }
    })
    const school = rows.school?.[0]
    if (!school) throw new Error('the school is not there')
    if (!(await parts.keep(RESULTS_PART))) {
      const results = parts.table(RESULTS_PART, RESULTS)
      // Each result is read once, so that one entry is enough.
      const cache = memoryCache({ clock, entries: 1 })
      await actingAs({ ...services, cache }, adminId, (api) => writeResults(api, rows, { write: results.add, progress }))
      results.end()
    }
    const { files, missing } = await collectFiles(services, stored, parts, progress)
    const about = {
      format: 'markbook-export/1' as const,
      ...made,
      made_at: toInstant(clock.now()),
      school: { id: school.id, name: String(school['name']) },
      counts,
      files,
    }
    parts.text('README.md', readme(about, { ...heads, [RESULTS_PART]: RESULTS }))
    const manifest = Manifest.parse({ ...about, parts: [...parts.written] })
    parts.text(MANIFEST, manifestText(manifest))
    parts.close()
    return { manifest, missing, kept: parts.kept }
  } finally {
    rmSync(sorting, { recursive: true, force: true })
  }
}

const RESULTS_PART = 'results.csv'

/** What the rest of an export needs about a table, kept so that a later run need not read its rows again. */
const Written = z.object({ count: z.int(), people: z.array(z.string()), stored: z.array(Stored) })
type Written = z.infer<typeof Written>

type Writing = { schoolId: string; parts: PartsFolder; sorting: string; progress: Progress }

/** Writes every table, from one snapshot of the database; only the rows of `NAMED` stay in memory. */
async function writeRows(tx: ReadTx, { schoolId, parts, sorting, progress }: Writing) {
  const rows: SchoolRows = {}
  const counts: Record<string, number> = {}
  const people = new Set<string>()
  const stored: Stored[] = []
  const heads: Record<string, readonly string[]> = {}
  const toldBy = (table: Replicated, { count, people: named, stored: files }: Written) => {
    counts[table] = count
    for (const person of named) people.add(person)
    stored.push(...files)
  }
  type Each = { each?: (row: AnyRow) => void; total?: number | undefined }
  const write = async (table: Replicated, pages: AsyncGenerator<AnyRow[]>, { each, total }: Each) => {
    const own = toTable(table, [])
    const file = parts.table(`tables/${table}.csv`, own.head)
    const named = new Set<string>()
    const written: Written = { count: 0, people: [], stored: [] }
    for await (const page of pages) {
      for (const line of toTable(table, page).rows) file.add(line)
      for (const row of page) {
        notePeople(row, named)
        each?.(row)
      }
      written.stored.push(...storedBy({ [table]: page }))
      written.count += page.length
      progress(`Writing the table ${table}`, total && written.count / total)
    }
    written.people = [...named]
    file.end(written)
    toldBy(table, written)
  }
  for (const table of NAMED) {
    const kept: AnyRow[] = []
    await write(table, pagesOfSchool(tx, table, schoolId), {
      each: (row) => kept.push(table === 'assessment' ? briefAssessment(row) : row),
    })
    rows[table] = kept
  }
  const lay = (path: string, head: readonly string[], lines: Iterable<readonly Cell[]>) => {
    const file = parts.table(path, head)
    for (const line of lines) file.add(line)
    file.end()
  }
  for (const table of exportedTables.filter((each) => each !== 'user_profile' && !NAMED.some((named) => named === each))) {
    const readable = READABLE[table]
    const { head, lineOf } = readable?.of(rows) ?? {}
    if (readable && head) heads[readable.path] = head
    const [about] = (await parts.keep(`tables/${table}.csv`, ...(readable ? [readable.path] : []))) ?? []
    const kept = Written.safeParse(about).data
    if (kept) {
      toldBy(table, kept)
      continue
    }
    const sorted = readable && new SortedLines(join(sorting, table), 3)
    const each = (row: AnyRow) => {
      const line = sorted && lineOf?.(row)
      if (line) sorted.add(line)
    }
    await write(table, pagesOfSchool(tx, table, schoolId), { each, total: await countOfSchool(tx, table, schoolId) })
    if (readable && head && sorted) lay(readable.path, head, sorted.inOrder())
  }
  const pages = pagesOfPeople(tx, people)
  rows.user_profile = []
  await write('user_profile', pages, { each: (row) => rows.user_profile?.push(row) })
  for (const [path, { head, rows: lines }] of [
    ['students.csv', studentsTable(rows)],
    ['classes.csv', classesTable(rows)],
  ] as const) {
    heads[path] = head
    lay(path, head, lines)
  }
  heads[HISTORY_PART] = HISTORY
  if (!(await parts.keep(HISTORY_PART))) {
    const history = parts.table(HISTORY_PART, HISTORY)
    const total = await countOfSchool(tx, 'history', schoolId)
    let count = 0
    for await (const page of pagesOfHistory(tx, schoolId)) {
      for (const entry of page) history.add(HISTORY.map((name) => toCell(entry[name])))
      count += page.length
      progress('Writing the history', count / total)
    }
    history.end()
  }
  return { rows, counts, stored, heads }
}

const HISTORY_PART = 'history.csv'

/** In the columns that the import of students reads; the class is that of the active year. */
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

const FILE_TYPES: Record<string, string> = { pdf: 'application/pdf', csv: 'text/csv', xlsx: XLSX_TYPE }

/** The stored files that these rows name. */
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

async function collectFiles({ files: storage }: Services, stored: readonly Stored[], parts: PartsFolder, progress: Progress) {
  const files: Manifest['files'] = []
  const missing: string[] = []
  for (const [count, { bucket, path, type }] of stored.entries()) {
    progress('Collecting the files', count / stored.length)
    const object = await storage.head(bucket, path)
    const part = `${STORED}${bucket}/${path}`
    const kept = object && (await parts.keepFile(part, object.etag))
    const opened = object && !kept ? await storage.open(bucket, path) : null
    if (opened) await parts.file(part, opened.body)
    if (object && (kept || opened)) files.push({ part, bucket, path, content_type: object.contentType || type })
    else missing.push(`${bucket}/${path}`)
  }
  progress('Collecting the files', 1)
  return { files, missing }
}

const KINDS = { text: 'text', number: 'number', flag: 'true or false', json: 'JSON' }

/** A description of the export for readers who do not have this program. */
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
