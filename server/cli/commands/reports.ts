import { resolve } from 'node:path'
import { type DocumentLanguage, documentLanguages } from '@markbook/shared/domain/document-language'
import { type Command, Option } from 'commander'
import { printingOf } from '../../features/reports/files/pdf-storage.ts'
import { withNode } from '../console.ts'
import { makeClassPapers, type PapersRequest } from '../export/class-papers.ts'
import { addCommand } from '../help.ts'
import { printProgress } from './backup.ts'

type Options = Omit<PapersRequest, 'type' | 'printing' | 'twoSided'> & {
  yearEnd?: boolean
  paper: 'A4' | 'Letter'
  language?: DocumentLanguage
  twoSided?: boolean
}

export const reportsCommand = (program: Command) =>
  addCommand(program, 'reports', 'make the report cards and the broadsheet of a class into a folder; the server may go on working', {
    about: 'The reports have to be generated in Markbook first; nothing that is stored is changed.',
    examples: [
      'markbook reports --class 3B --term michaelmas --out christmas',
      'markbook reports --class 3B --term trinity --year-end --two-sided --out summer',
    ],
    exits: { 0: 'the files are there', 1: 'there are no such reports, or a name is not known' },
  })
    .requiredOption('--class <name>', 'the class, such as 3B')
    .requiredOption('--term <name>', 'michaelmas, hilary or trinity')
    .requiredOption('--out <folder>', 'where the files go; it is made where it is not there')
    .option('--year <name>', 'the academic year, where it is not the active one')
    .option('--school <name>', 'the school, where the database has several')
    .option('--year-end', 'the year-end reports that were generated in that term')
    .option('--two-sided', 'every report begins on a sheet of its own in the file for printing')
    .addOption(new Option('--paper <size>', 'the paper that they are printed on').choices(['A4', 'Letter']).default('A4'))
    .addOption(new Option('--language <code>', 'the language of the papers, where it is not the school’s').choices(documentLanguages))
    .action(reports)

async function reports({ yearEnd = false, twoSided = false, paper, language, out, ...names }: Options) {
  const wanted: PapersRequest = {
    ...names,
    type: yearEnd ? 'year_end' : 'term',
    printing: printingOf({ paper, language }),
    twoSided,
    out: resolve(out),
  }
  const written = await withNode(({ services }) => makeClassPapers(services, wanted, { line: console.log, progress: printProgress() }))
  console.log(`${written.length} files are in ${wanted.out}.`)
}
