import { readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { ImportReport } from '@markbook/shared/contract/imports'
import { type Command, InvalidArgumentError } from 'commander'
import { codeOf } from '../../error-code.ts'
import { normalEmail } from '../../mail/emails.ts'
import { asSystem } from '../../store/tx.ts'
import { type Api, actingAs } from '../act-as.ts'
import { confirm } from '../confirm.ts'
import { withNode } from '../console.ts'
import { importSchool, readExport } from '../export/import-school.ts'
import { administrator, type FoundSheet, sheetNamed } from '../export/naming.ts'
import { addCommand } from '../help.ts'
import { configureToFill } from '../settings/environment.ts'
import { counted } from '../words.ts'
import { printProgress } from './backup.ts'

type Common = { as: string; yes?: boolean; dryRun?: boolean }
type GradesOptions = Common & { assessment?: string; class?: string; term?: string; subject?: string; year?: string }

export function importCommand(program: Command) {
  const command = addCommand(
    program,
    'import',
    'take in students, marks or a whole exported school; the server may go on working',
    {
      about: `Students and marks go the same way as an upload: every row is tried first and reported, then you are asked,
and either all rows are written or none. The columns are those of /docs: first_name, last_name, gender,
date_of_birth, enrollment_date, student_number, class; or student_number, score, remarks.`,
      examples: [
        'markbook import students pupils.xlsx --as head@school.example --dry-run',
        'markbook import students pupils.csv --as head@school.example',
        'markbook import grades 3B-maths.xlsx --as head@school.example --class 3B --term michaelmas --subject MATH',
        'markbook import school /media/usb/st-brigids --as head@school.example',
      ],
      exits: {
        0: 'it was taken in, or would be (--dry-run)',
        1: 'it was refused, or you said no: nothing was changed',
        3: 'rows are wrong, and are listed: nothing was changed',
      },
    },
    'afterAll',
  )
  const common = (command: Command) =>
    command
      .requiredOption('--as <email>', 'the administrator in whose name it is done and written down', addressFrom)
      .option('--dry-run', 'only say what would be done')
      .option('--yes', 'do not ask')
  common(command.command('students <file>'))
    .description('students and their classes, from XLSX or CSV')
    .option('--year <name>', 'the year of the classes; the active one where it is left out')
    .action(importStudents)
  common(command.command('grades <file>'))
    .description('marks, from XLSX or CSV: of one assessment, or a whole mark sheet')
    .option('--assessment <id>', 'the assessment that the marks are of')
    .option('--class <name>', 'with --term and --subject: a whole mark sheet, as export --marks writes it')
    .option('--term <name>')
    .option('--subject <code>')
    .option('--year <name>', 'the year of the class; the active one where it is left out')
    .action(importGrades)
  common(command.command('school <export>'))
    .description('a school that markbook export wrote, a folder or a zip, into a database without it')
    .action(importExport)
  return command
}

const ROWS_WRONG = 3

/** Parses an e-mail address of the command line. Throws wrong usage where it is none. */
export function addressFrom(typed: string): string {
  try {
    return normalEmail(typed)
  } catch {
    throw new InvalidArgumentError('It is no address.')
  }
}

const importStudents = (file: string, { year, ...options }: Common & { year?: string }) =>
  through(file, options, async (api, form, dryRun) => {
    const named = year === undefined ? undefined : (await api.academicYears.list()).find(({ id, name }) => [id, name].includes(year))
    if (year !== undefined && !named) throw new Error(`There is no year ${year}.`)
    return api.imports.students({ query: { dryRun, ...(named && { academicYearId: named.id }) }, body: form })
  })

async function importGrades(file: string, options: GradesOptions, command: Command) {
  const { assessment, class: className, term, subject, year } = options
  const isWhole = className !== undefined && term !== undefined && subject !== undefined
  if ((assessment !== undefined) === isWhole || (!isWhole && (className ?? term ?? subject) !== undefined))
    command.error('Say --assessment, or --class, --term and --subject.', { exitCode: 2 })
  const run: Run = (api, form, dryRun, found) => {
    const place = found && { studentGroupId: found.group.id, termId: found.term.id, subjectId: found.subjects[0]?.id }
    return api.imports.grades({ query: { dryRun, ...(place ?? { assessmentId: assessment }) }, body: form })
  }
  await through(file, options, run, isWhole ? { className, term, subject, year } : null)
}

type Run = (api: Api, form: FormData, dryRun: 'true' | 'false', found: FoundSheet | null) => Promise<ImportReport>

/** Checks every row in a dry run, prints the report, asks for a yes, and then imports all rows or none. */
async function through(path: string, common: Common, run: Run, sheet: Parameters<typeof sheetNamed>[2] | null = null) {
  const { as, dryRun = false } = common
  const bytes = bytesOf(path)
  const form = () => {
    const body = new FormData()
    body.set('file', new File([bytes], basename(path)))
    return body
  }
  await withNode(async ({ services }) => {
    const { store } = services
    const admin = await administrator(store, as)
    const found = sheet && (await store.read(asSystem(), (tx) => sheetNamed(tx, admin.schoolId, sheet)))
    await actingAs(services, admin.userId, async (api) => {
      const tried = await run(api, form(), 'true', found)
      console.log(reportText(tried))
      if (tried.errors > 0) {
        console.log('Nothing was changed. Correct these rows, then run this again.')
        process.exitCode = ROWS_WRONG
        return
      }
      if (dryRun) return console.log('Nothing was changed: this was a dry run.')
      if (tried.created + tried.updated === 0) return console.log('There is nothing to change.')
      await confirm('Take it in?', common)
      const done = await run(api, form(), 'false', found)
      if (done.errors > 0)
        throw new Error(`The school changed meanwhile, and rows no longer fit. Nothing was changed.\n${reportText(done)}`)
      console.log(`Taken in at ${admin.schoolName}, in the name of ${as}: ${summary(done)}.`)
    })
  })
}

function bytesOf(path: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(readFileSync(path))
  } catch (error) {
    const why = { ENOENT: 'it is not there', EISDIR: 'it is a folder' }[codeOf(error)] ?? (error as Error).message
    throw new Error(`${path} cannot be read: ${why}.`)
  }
}

const summary = ({ created, updated, unchanged }: ImportReport) => `${created} new, ${updated} changed, ${unchanged} as they were`

/** The rows that change something or have an issue; unchanged rows are only counted. */
function reportText(report: ImportReport): string {
  const rows = report.rows
    .filter(({ action, issues }) => action !== 'unchanged' || issues.length > 0)
    .map(({ row, action, issues }) => {
      const reasons = issues.map(({ path, message }) => `${path} ${message}`).join('; ')
      return `  row ${String(row).padEnd(5)} ${action.padEnd(9)} ${reasons}`.trimEnd()
    })
  return [...rows, `${summary(report)}, ${counted(report.errors, 'error')}`].join('\n')
}

async function importExport(from: string, { as, yes = false, dryRun = false }: Common) {
  const progress = printProgress()
  const incoming = readExport(resolve(from), as, progress)
  const { school, made_at, counts, files } = incoming.manifest
  console.log(`The export of ${school.name}, made at ${made_at}, is whole:`)
  console.log(`  ${counted(counts['student'] ?? 0, 'student')}, ${counted(counts['grade'] ?? 0, 'mark')}, ${counted(files.length, 'file')}`)
  if (dryRun) return console.log('Nothing was changed: this was a dry run.')
  await confirm('Take it in?', { yes })
  await withNode(({ services }) => importSchool(services, incoming, progress), await configureToFill(), false)
  console.log(`${school.name} is in this database now. Start the server, and sign in as ${as}.`)
}
