import type { Sheet } from '@markbook/shared/spreadsheet/table'
import type { BroadsheetFormat, BroadsheetInput } from './broadsheet/broadsheet.input.ts'
import type { ReportCardsInput } from './report-card/report-card.input.ts'
import type { Upload } from './sheet-kind.ts'
import type { RowBatches, WorkbookInput, WorkbookRow } from './workbook.ts'

/** `school` is the id of the school that the task is for. `signal` ends the task, which then throws the signal's reason. */
export type TaskOptions = { school: string; signal?: AbortSignal }
export type MadeCard = { id: string; bytes: Uint8Array }

/**
 * `onCard` is given each pupil's PDF as soon as it is drawn; the next ones wait for what it does. What it throws ends the task.
 * `onProgress`: how many of the cards were tried.
 */
type CardsOptions = TaskOptions & { onCard?: (card: MadeCard) => void | Promise<void>; onProgress?: (done: number, total: number) => void }

/** In the order of the cards. One that could not be drawn is named in `failures`; the others are made all the same. */
export type MadeCards = { cards: MadeCard[]; failures: { id: string; message: string }[] }

/** A workbook whose rows are all there, or come in batches. */
export type AnyWorkbook = WorkbookInput<readonly WorkbookRow[] | RowBatches>

/**
 * The documents of a school, made in worker threads, so that no request waits for them. Each throws `Failure` 503 `busy` where too many
 * wait already or it takes too long, and 413 `too_large` where it takes too much memory; no other is concerned (docs/design/reports.md).
 */
export type Documents = {
  /** One PDF for each card. */
  reportCards(input: ReportCardsInput, options: CardsOptions): Promise<MadeCards>
  /** All cards in one PDF for printing. `twoSided`: a blank page wherever a card would begin on the back of another. */
  printRun(input: ReportCardsInput, options: TaskOptions & { twoSided?: boolean }): Promise<Uint8Array>
  /** The class summary and broadsheet of a class. */
  broadsheet(input: BroadsheetInput, format: BroadsheetFormat, options: TaskOptions): Promise<Uint8Array>
  /** See `writeWorkbook`. */
  workbook(input: AnyWorkbook, options: TaskOptions): Promise<Uint8Array>
  /** See `readSheet`, whose failures it throws; also imports.unreadable for a file that takes longer than limits.papers.sheetMs. */
  readSheet(upload: Upload, preferred: readonly string[], options: TaskOptions): Promise<Sheet>
  /** Ends the workers; what they still make is 503 `busy`. */
  close(): Promise<void>
}
