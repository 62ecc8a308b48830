import { PDFDocument } from 'pdf-lib'
import { afterAll, describe, expect, test } from 'vitest'
import { classOf } from '../broadsheet/broadsheet.fixtures.ts'
import { writeCsv } from '../csv.ts'
import { elan, entries, frame, termLayout } from '../report-card/report-card.fixtures.ts'
import type { ReportCard, ReportCardsInput, TermEntry } from '../report-card/report-card.input.ts'
import type { WorkbookRow } from '../workbook.ts'
import { openDocuments } from './open-documents.ts'

const documents = openDocuments()
afterAll(() => documents.close())
const school = 'one'

const cards = (count: number, more: Partial<ReportCard<TermEntry>>[] = []): ReportCardsInput => ({
  ...frame,
  layout: termLayout,
  cards: Array.from({ length: count }, (_, at) => ({ ...elan, id: `card ${at}`, ...more[at] })),
})
const pageCount = async (bytes: Uint8Array) => (await PDFDocument.load(bytes)).getPageCount()
const HEADS = ['a', 'b'].map((head) => ({ head, key: head, width: 9, kind: 'text' as const }))
const sheet = { name: 'Sheet', columns: HEADS, frozenColumns: 0 }
const rows = (count: number): WorkbookRow[] => Array.from({ length: count }, (_, at) => ({ cells: { a: `a${at}`, b: `b${at}` } }))

describe('report cards', () => {
  test('one for each pupil, in order, equal to those drawn directly', async () => {
    const input = cards(3)
    const seen: string[] = []
    const handed: string[] = []
    const { cards: made, failures } = await documents.reportCards(input, {
      school,
      onProgress: (done, total) => void seen.push(`${done}/${total}`),
      onCard: async ({ id }) => void handed.push(id),
    })
    expect(failures).toEqual([])
    expect(handed).toEqual(made.map(({ id }) => id))
    expect(seen).toEqual(['1/3', '2/3', '3/3'])
    const alone = await documents.reportCards({ ...input, cards: [input.cards[1] as ReportCard<TermEntry>] } as ReportCardsInput, {
      school,
    })
    expect(Buffer.from(made[1]?.bytes as Uint8Array).equals(Buffer.from(alone.cards[0]?.bytes as Uint8Array))).toBe(true)
  })

  test('a failed one is named, and the others are made', async () => {
    const broken = [{ ...(entries[0] as TermEntry), term_composite: 'seventy' as never }]
    const { cards: made, failures } = await documents.reportCards(cards(3, [{}, { entries: broken }, {}]), { school })
    expect(made.map(({ id }) => id)).toEqual(['card 0', 'card 2'])
    expect(failures).toEqual([{ id: 'card 1', message: expect.stringContaining('could not be drawn') }])
  })

  test('an error of onCard ends the task', async () => {
    const onCard = () => Promise.reject(new Error('the disk is full'))
    await expect(documents.reportCards(cards(2), { school, onCard })).rejects.toThrow('the disk is full')
  })

  test('for printing', async () => {
    const run = await documents.printRun(cards(3), { school, twoSided: true })
    expect(await pageCount(run)).toBe(5)
  })
})

describe('tables', () => {
  test('a broadsheet of each kind', async () => {
    for (const format of ['pdf', 'csv', 'xlsx'] as const) {
      const bytes = await documents.broadsheet(classOf(4, 3), format, { school })
      expect(bytes.length).toBeGreaterThan(300)
    }
  })

  test('a workbook from an array of rows or from batches; all rows are read back', async () => {
    async function* portions() {
      for (let at = 0; at < 5; at += 1) yield rows(500)
    }
    const bytes = await documents.workbook(
      {
        madeAt: 0,
        sheets: [
          { ...sheet, rows: rows(1_001) },
          { ...sheet, name: 'Two', rows: portions() },
        ],
      },
      { school },
    )
    expect((await documents.readSheet({ bytes }, [], { school })).rows.map(({ cells }) => cells)).toEqual(
      rows(1_001).map(({ cells }) => Object.values(cells)),
    )
    expect((await documents.readSheet({ bytes }, ['Two'], { school })).rows).toHaveLength(2_500)
  })

  test('a failing batch ends the task with its failure', async () => {
    async function* portions() {
      yield rows(2)
      throw new Error('the database is gone')
    }
    await expect(documents.workbook({ madeAt: 0, sheets: [{ ...sheet, rows: portions() }] }, { school })).rejects.toThrow(
      'the database is gone',
    )
  })

  test('CSV, small and large, and refusals, as without a worker', async () => {
    const csv = (count: number) =>
      writeCsv({ head: ['a', 'b'], rows: rows(count).map(({ cells }) => [cells['a'] ?? null, cells['b'] ?? null]) })
    for (const count of [2, 9_000]) expect((await documents.readSheet({ bytes: csv(count) }, [], { school })).rows).toHaveLength(count)
    await expect(documents.readSheet({ bytes: Buffer.from('PK\x03\x04 no workbook') }, [], { school })).rejects.toMatchObject({
      status: 400,
      code: 'imports.unreadable',
    })
    await expect(documents.readSheet({ bytes: Buffer.alloc(0) }, [], { school })).rejects.toMatchObject({ code: 'imports.unreadable' })
  })

  test('a workbook that takes too long to read is refused as unreadable, and the next file is read', async () => {
    const hurried = openDocuments({ sheetMs: 5 })
    try {
      const bytes = await documents.workbook({ madeAt: 0, sheets: [{ ...sheet, rows: rows(9_000) }] }, { school })
      await expect(hurried.readSheet({ bytes }, [], { school })).rejects.toMatchObject({ status: 400, code: 'imports.unreadable' })
      expect((await documents.readSheet({ bytes }, [], { school })).rows).toHaveLength(9_000)
    } finally {
      await hurried.close()
    }
  })
})
