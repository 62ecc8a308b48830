import { resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { type Command, InvalidArgumentError } from 'commander'
import { writeAtomically } from '../../atomic-write.ts'
import type { Node } from '../../start.ts'
import { withNode } from '../console.ts'
import { exportSchool } from '../export/export-school.ts'
import { marksWorkbook } from '../export/marks-workbook.ts'
import { type ClassAndTerm, placesIn, schoolNamed } from '../export/naming.ts'
import { demandFree, demandFreeFile, writeExport } from '../export/place.ts'
import { addCommand } from '../help.ts'
import { counted } from '../words.ts'
import { printProgress } from './backup.ts'

type Marks = { places: ClassAndTerm[] }
type Options = { to?: string; school?: string; marks?: Marks; year?: string; subject?: string }

export const exportCommand = (program: Command) =>
  addCommand(program, 'export', 'write everything of a school in open formats, to keep or to take along; the server may go on working', {
    about: `Students, classes, marks, results, report books and history as CSV with a README that explains each column,
every table of the database as CSV, and the uploaded files. It holds names and marks of children: keep it
like a backup. Unlike a backup it can be read without Markbook, and taken in elsewhere (markbook import school).
One that broke off goes on when the same command is typed again.`,
    examples: [
      'markbook export --to school.zip',
      'markbook export --to /media/usb/st-brigids',
      'markbook export --marks 3B/michaelmas --to 3B.xlsx',
      'markbook export --marks "3B/Semester 1/2" --to 3B.xlsx',
      'markbook export --marks 3B/michaelmas --subject MATH --to 3B-maths.xlsx',
    ],
    exits: { 0: 'it is written, whole', 1: 'it was refused or broke off, and one clear line says why; there is no export' },
  })
    .option('--to <path>', 'a new folder, or a zip where the name ends with .zip; with --marks a file .xlsx')
    .option('--school <name>', 'which one, where there are several')
    .option('--marks <class/term>', 'only the marks of a class in a term, as a workbook', marksFrom)
    .option('--year <name>', 'with --marks: the year; the active one where it is left out')
    .option('--subject <code>', 'with --marks: one subject, by code or name; the workbook can come back through import')
    .action(exportAll)

function marksFrom(value: string): Marks {
  const places = placesIn(value)
  if (places.length === 0) throw new InvalidArgumentError('Write the class, a slash and the term: 3B/michaelmas')
  return { places }
}

async function exportAll(options: Options, command: Command) {
  const { to, marks, subject, year } = options
  if (!to) return command.error('Say where to, with --to.', { exitCode: 2 })
  if (!marks && (subject || year)) return command.error('--subject and --year are for --marks.', { exitCode: 2 })
  if (marks && !/\.xlsx$/i.test(to)) return command.error('--marks writes a workbook: --to must end with .xlsx', { exitCode: 2 })
  const path = resolve(to)
  if (marks) demandFreeFile(path)
  else demandFree(path)
  await withNode((node) => (marks ? writeMarks(node, path, { ...marks, ...options }) : writeSchool(node, path, options.school)))
}

async function writeSchool({ services }: Node, path: string, named: string | undefined) {
  // Rows are garbage as soon as they are written. By default V8 lets the heap grow to several times the live objects before it collects.
  setFlagsFromString('--heap-growing-percent=10')
  const { schoolId, userId } = await schoolNamed(services.store, named)
  const progress = printProgress()
  const { manifest, missing, kept } = await writeExport(path, progress, (into) =>
    exportSchool(services, { schoolId, adminId: userId, into, progress }),
  )
  const { student = 0, grade = 0, report_book = 0 } = manifest.counts
  console.log(`Exported ${manifest.school.name}: ${path}`)
  console.log(
    `  ${counted(student, 'student')}, ${counted(grade, 'mark')}, ${counted(report_book, 'report book')}, ${counted(manifest.files.length, 'file')}`,
  )
  if (kept > 0) console.log(`  ${counted(kept, 'part')} of it had been finished before.`)
  for (const file of missing) console.error(`Warning: the file ${file} is named by a row, but is not stored.`)
}

async function writeMarks({ services }: Node, path: string, { school, ...asked }: Marks & Options) {
  const { schoolId } = await schoolNamed(services.store, school)
  const { bytes, className, term, subjects } = await marksWorkbook(services.store, schoolId, asked)
  writeAtomically(path, bytes)
  console.log(`Wrote the marks of ${className}, ${term}, in ${subjects.join(', ')}: ${path}`)
}
