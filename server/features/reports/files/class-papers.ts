import { createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Row } from '@markbook/shared/tables/tables'
import type { PaperSize } from '../../../documents/report-card/report-card.input.ts'
import type { Services } from '../../../http/services.ts'
import { asSystem } from '../../../store/tx.ts'
import { termsOfYear } from '../../terms/terms.policy.ts'
import { booksOfClass } from '../reports.queries.ts'
import { type Zipped, zipOf } from './archive.ts'
import { broadsheetInput, readBroadsheet } from './broadsheet-data.ts'
import { classesNamed, schoolsNamed, yearsNamed } from './class-papers.queries.ts'
import { cardName, classFileName, distinct } from './names.ts'
import { cardsInput, type Period, readReportCards } from './report-card-data.ts'

/** Which papers, in the words of a person: names as they are written in the school, the year that runs where none is named. */
export type Wanted = {
  school?: string
  year?: string
  class: string
  term: string
  type: 'term' | 'year_end'
  paper: PaperSize
  twoSided: boolean
  out: string
}
type Own = Pick<Services, 'store' | 'documents' | 'files'>
/** `line` says what is begun, `progress` how far it is (0 to 1), as often as it likes. */
export type Tell = { line(text: string): void; progress(what: string, done: number): void }

/** What the console is told when there is no such thing, or more than one. */
class Unclear extends Error {}

const listed = (names: readonly string[]) => (names.length === 0 ? 'There is none.' : `There is: ${[...new Set(names)].sort().join(', ')}.`)
const same = (a: string, b: string) => a.normalize('NFC').toLowerCase() === b.normalize('NFC').toLowerCase()

function theOne<R extends { name: string }>(rows: readonly R[], name: string | undefined, what: string, option: string): R {
  const found = name === undefined ? rows : rows.filter((row) => same(row.name, name))
  const [one, ...more] = found
  if (one && more.length === 0) return one
  const names = listed(rows.map((row) => row.name))
  throw new Unclear(
    one ? `Which ${what} is meant? Say ${option}. ${names}` : `There is no ${what} ${name ?? ''}. ${names}`.replace(' .', '.'),
  )
}

type Read = { period: Period; books: Row<'report_book'>[] }

const find = ({ store }: Own, wanted: Wanted) =>
  store.read(
    asSystem(),
    async (
      tx,
    ): Promise<Read & { cards: Awaited<ReturnType<typeof readReportCards>>; sheet: Awaited<ReturnType<typeof readBroadsheet>> }> => {
      const school = theOne(await schoolsNamed(tx, {}), wanted.school, 'school', '--school')
      const years = await yearsNamed(tx, { school: school.id })
      const active = years.filter(({ is_active }) => is_active)
      const { is_active: _, ...year } = theOne(
        wanted.year === undefined && active.length === 1 ? active : years,
        wanted.year,
        'year',
        '--year',
      )
      const group = theOne(await classesNamed(tx, { school: school.id, year: year.id }), wanted.class, 'class', '--class')
      const term = theOne(await termsOfYear(tx, { school: school.id, year: year.id }), wanted.term, 'term', '--term')
      const period = { group, term, year: year as Row<'academic_year'>, type: wanted.type }
      const rows = await booksOfClass(tx, { school: school.id, group: group.id, term: term.id })
      const books = rows.map(({ book }) => book).filter(({ report_type }) => report_type === wanted.type)
      if (books.length === 0)
        throw new Unclear(`No reports have been generated for ${group.name} and ${term.name} yet. Generate them in Markbook first.`)
      return {
        period,
        books,
        cards: await readReportCards(tx, period, books, wanted.paper),
        sheet: await readBroadsheet(tx, period, wanted.paper),
      }
    },
  )

/**
 * Makes all papers of a class and term into a folder: a card for each pupil, all cards in a zip, all cards in one file for printing, and
 * the broadsheet as PDF, CSV and XLSX. Only reads what is stored. Throws `Unclear` where a name means nothing, or several things.
 */
export async function makeClassPapers(services: Own, wanted: Wanted, tell: Tell): Promise<string[]> {
  const { documents, files } = services
  const { period, cards, sheet } = await find(services, wanted)
  const school = period.group.school_id
  const titled = { class_name: period.group.name, year: period.year.name, term: period.term.name, type: period.type }
  const input = await cardsInput(cards, files)
  await mkdir(wanted.out, { recursive: true })
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
