import type { SheetRow } from '@markbook/shared/spreadsheet/table'
import type { BroadsheetFormat, BroadsheetInput } from '../broadsheet/broadsheet.input.ts'
import { broadsheetPdf } from '../broadsheet/broadsheet.pdf.ts'
import { broadsheetCsv, broadsheetWorkbook } from '../broadsheet/broadsheet.tables.ts'
import type { MadeCards } from '../documents.ts'
import { ownBytes } from '../drawing/pdf.ts'
import { readSheet } from '../read-sheet.ts'
import type { ReportCardsInput } from '../report-card/report-card.input.ts'
import { openCardSetup, printRun, reportCard } from '../report-card/report-card.ts'
import type { Upload } from '../sheet-kind.ts'
import { type RowBatches, type WorkbookInput, type WorkbookRow, type WorkbookSheet, writeBatches, writeWorkbook } from '../workbook.ts'
import type { Ask } from './messages.ts'

/** Questions of running tasks. A card is sent once it is drawn, rows in batches. */
export type CardQuestion = { id: string; bytes: Uint8Array | null; done: number; total: number }
export type RowsQuestion = { sheet: number }
type Rows = readonly WorkbookRow[] | null

/** Cells in one message, few enough that neither thread is blocked for more than a few milliseconds. */
const BATCH_CELLS = 4_000

/** Draws cards. A card that fails is named and omitted; the others are drawn nevertheless. */
async function cards({ input }: { input: ReportCardsInput }, ask: Ask<CardQuestion, void>): Promise<MadeCards['failures']> {
  const setup = await openCardSetup(input)
  const failures: MadeCards['failures'] = []
  for (const [index, own] of input.cards.entries()) {
    let bytes: Uint8Array | null = null
    try {
      bytes = await reportCard(setup, own)
    } catch (error) {
      failures.push({ id: own.id, message: `This report card could not be drawn: ${(error as Error).message}` })
    }
    await ask({ id: own.id, bytes, done: index + 1, total: input.cards.length })
  }
  return failures
}

async function* batchesOf(sheet: number, ask: Ask<RowsQuestion, Rows>): RowBatches {
  for (let rows = await ask({ sheet }); rows !== null; rows = await ask({ sheet })) yield rows
}

const workbook = async ({ input }: { input: WorkbookInput<null> }, ask: Ask<RowsQuestion, Rows>): Promise<Uint8Array> => {
  const sheets = input.sheets.map((sheet, at): WorkbookSheet<RowBatches> => ({ ...sheet, rows: batchesOf(at, ask) }))
  return ownBytes(await writeBatches({ ...input, sheets }))
}

/** Reads a sheet; sends the rows in batches, then returns the head. */
async function sheet(
  { upload, preferred }: { upload: Upload; preferred: readonly string[] },
  ask: Ask<SheetRow[], void>,
): Promise<string[]> {
  const { head, rows } = await readSheet(upload, preferred)
  const size = Math.max(1, Math.floor(BATCH_CELLS / Math.max(1, head.length)))
  for (let at = 0; at < rows.length; at += size) await ask(rows.slice(at, at + size))
  return head
}

const broadsheetIn: Record<BroadsheetFormat, (input: BroadsheetInput) => Promise<Uint8Array>> = {
  pdf: broadsheetPdf,
  csv: async (input) => broadsheetCsv(input),
  xlsx: (input) => writeWorkbook(broadsheetWorkbook(input)),
}

/** All tasks of a worker. Inputs and results are structured-cloneable. */
export const tasks = {
  cards,
  // Each drawn card is reported, which restarts the time limit; the answer is empty.
  printRun: async ({ input, twoSided }: { input: ReportCardsInput; twoSided: boolean }, ask: Ask<number, void>) =>
    printRun(await openCardSetup(input), { twoSided, onProgress: (done) => ask(done) }),
  broadsheet: async ({ input, format }: { input: BroadsheetInput; format: BroadsheetFormat }) =>
    ownBytes(await broadsheetIn[format](input)),
  workbook,
  sheet,
}
export type TaskName = keyof typeof tasks
