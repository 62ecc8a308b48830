import { createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Zipped, zipOf } from '../../features/reports/files/archive.ts'
import { broadsheetInput, readBroadsheet } from '../../features/reports/files/broadsheet-data.ts'
import { cardName, classFileName, distinct, titledOf } from '../../features/reports/files/names.ts'
import type { Printing } from '../../features/reports/files/pdf-storage.ts'
import { cardsInput, readReportCards } from '../../features/reports/files/report-card-data.ts'
import { booksOfType } from '../../features/reports/reports.queries.ts'
import type { Services } from '../../http/services.ts'
import { makeFolder } from '../../make-folder.ts'
import { asSystem } from '../../store/tx.ts'
import { schoolChosen, sheetNamed } from './naming.ts'

/** What to make, by names as they are written in the school; `year`: the active one where undefined; `out`: the folder. */
export type PapersRequest = {
  school?: string
  year?: string
  class: string
  term: string
  type: 'term' | 'year_end'
  printing: Printing
  twoSided: boolean
  out: string
}
type Own = Pick<Services, 'store' | 'documents' | 'files'>
/** `line` prints a step; `progress` gets the share that is done, 0 to 1, any number of times. */
export type ProgressOutput = { line(text: string): void; progress(what: string, done: number): void }

/**
 * Makes all documents of a class and term in a folder: a card for each pupil, all cards in a zip, all cards in one file for printing, and
 * the broadsheet as PDF, CSV and XLSX. Only reads the database. Throws where a name is not found, or is not unique.
 */
export async function makeClassPapers(services: Own, wanted: PapersRequest, tell: ProgressOutput): Promise<string[]> {
  const { documents, files } = services
  const { period, cards, sheet } = await services.store.read(asSystem(), async (tx) => {
    const school = await schoolChosen(tx, wanted.school)
    const { year, group, term } = await sheetNamed(tx, school.id, { year: wanted.year, className: wanted.class, term: wanted.term })
    const period = { group, term, year, type: wanted.type }
    const books = await booksOfType(tx, { school: school.id, group: group.id, term: term.id }, wanted.type)
    if (books.length === 0)
      throw new Error(`No reports have been generated for ${group.name} and ${term.name} yet. Generate them in Markbook first.`)
    return {
      period,
      cards: await readReportCards(tx, period, books, wanted.printing),
      sheet: await readBroadsheet(tx, period, wanted.printing),
    }
  })
  const school = period.group.school_id
  const titled = titledOf(period, period.type)
  const input = await cardsInput(cards, files)
  makeFolder(wanted.out)
  const written: string[] = []
  const write = async (name: string, bytes: Uint8Array) => {
    await writeFile(join(wanted.out, name), bytes)
    written.push(name)
  }

  tell.line(`${period.group.name}: ${input.cards.length} report cards …`)
  const names = distinct(input.cards.map(({ student }) => cardName(student, titled)))
  const nameById = new Map(input.cards.map(({ id }, at) => [id, names[at] as string]))
  const made = await documents.reportCards(input, { school, onProgress: (done, total) => tell.progress('Drawing', done / total) })
  for (const { id, bytes } of made.cards) await write(nameById.get(id) ?? `${id}.pdf`, bytes)
  for (const { id, message } of made.failures) tell.line(`  ${nameById.get(id)}: ${message}`)

  tell.line('All of them in one zip …')
  const zip = classFileName('reports', titled, 'zip')
  const list = made.cards.map(({ id, bytes }): Zipped => ({ name: nameById.get(id) ?? id, open: async () => Readable.from([bytes]) }))
  await pipeline(zipOf(list, input.madeAt), createWriteStream(join(wanted.out, zip)))
  written.push(zip)

  tell.line(`All of them in one file for printing${wanted.twoSided ? ' on both sides' : ''} …`)
  const printed = await documents.printRun(input, { school, twoSided: wanted.twoSided })
  await write(classFileName('all reports', titled, 'pdf'), printed)

  tell.line('The broadsheet …')
  const broadsheet = await broadsheetInput(sheet, files)
  for (const format of ['pdf', 'csv', 'xlsx'] as const)
    await write(classFileName('broadsheet', titled, format), await documents.broadsheet(broadsheet, format, { school }))
  return written
}
