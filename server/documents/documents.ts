import type { Sheet } from '@markbook/shared/spreadsheet/table'
import type { BroadsheetFormat, BroadsheetInput } from './broadsheet/broadsheet.input.ts'
import type { ReportCardsInput } from './report-card/report-card.input.ts'
import type { Upload } from './sheet-kind.ts'
import type { RowBatches, WorkbookInput, WorkbookRow } from './workbook.ts'

/** `school`: the id of the task's school. `signal` aborts the task, which then throws the signal's reason. */
export type TaskOptions = { school: string; signal?: AbortSignal }
export type MadeCard = { id: string; bytes: Uint8Array }

/**
 * `onCard` receives each pupil's PDF once it is drawn; the next card waits for its promise. An error of `onCard` ends the task.
 * `onProgress` receives how many cards were attempted.
 */
type CardsOptions = TaskOptions & { onCard?: (card: MadeCard) => void | Promise<void>; onProgress?: (done: number, total: number) => void }

/** In the order of the cards. A card that failed is named in `failures`; the others are made nevertheless. */
export type MadeCards = { cards: MadeCard[]; failures: { id: string; message: string }[] }

/** A workbook with all rows, or with rows that arrive in batches. */
export type AnyWorkbook = WorkbookInput<readonly WorkbookRow[] | RowBatches>

/**
 * Makes the documents of a school in worker threads, so that requests do not wait for them. Each function throws `Failure` 503 `busy`
 * where too many tasks wait or it takes too long, and 413 `too_large` where it needs too much memory; other tasks are not affected
 * (docs/design/reports.md).
 */
export type Documents = {
  /** One PDF for each card. */
  reportCards(input: ReportCardsInput, options: CardsOptions): Promise<MadeCards>
  /** All cards in one PDF for printing. `twoSided`: inserts a blank page wherever a card would begin on the back of another. */
  printRun(input: ReportCardsInput, options: TaskOptions & { twoSided: boolean }): Promise<Uint8Array>
  /** The class summary and broadsheet of a class. */
  broadsheet(input: BroadsheetInput, format: BroadsheetFormat, options: TaskOptions): Promise<Uint8Array>
  /** See `writeWorkbook`. */
  workbook(input: AnyWorkbook, options: TaskOptions): Promise<Uint8Array>
  /** See `readSheet`, whose failures it throws; also imports.unreadable for a file that takes longer than limits.documents.sheetMs. */
  readSheet(upload: Upload, preferred: readonly string[], options: TaskOptions): Promise<Sheet>
  /** Ends the workers; running tasks fail with 503 `busy`. */
  close(): Promise<void>
}
