import { availableParallelism } from 'node:os'
import { importFailures } from '@markbook/shared/contract/imports'
import { limits } from '@markbook/shared/limits'
import type { Sheet, SheetRow } from '@markbook/shared/spreadsheet/table'
import type { AnyWorkbook, Documents, MadeCard, TaskOptions } from '../documents.ts'
import { ownBytes } from '../drawing/pdf.ts'
import { readSheet } from '../read-sheet.ts'
import { sheetKind, type Upload } from '../sheet-kind.ts'
import type { RowBatches, WorkbookRow } from '../workbook.ts'
import { workerEntry } from './entry.ts'
import { openPool, type Pool, type PoolOptions, type RunOptions } from './pool.ts'
import type { CardQuestion, RowsQuestion, TaskName } from './tasks.ts'

/** Rows in one message to a worker. */
const BATCH_CELLS = 400
/** A CSV up to this size is read in a few milliseconds, faster than a worker starts. */
const SMALL_CSV = 65_536

/** Splits complete rows into batches; batches that arrive are passed on as they are. */
async function* inPortions(rows: readonly WorkbookRow[] | RowBatches): AsyncGenerator<readonly WorkbookRow[]> {
  if (!Array.isArray(rows)) yield* rows as RowBatches
  else for (let at = 0; at < rows.length; at += BATCH_CELLS) yield rows.slice(at, at + BATCH_CELLS)
}

/** Copies the bytes of a picture or an upload out of a shared buffer, so that only they are sent. */
const alone = <T extends { bytes: Uint8Array }>(holder: T): T => ({ ...holder, bytes: ownBytes(holder.bytes) })
const withOwnCrest = <T extends { school: { crest: { bytes: Uint8Array } | null } }>(input: T): T =>
  input.school.crest === null ? input : { ...input, school: { ...input.school, crest: alone(input.school.crest) } }

type TaskRun = Omit<RunOptions, 'school'>

const tooLongToRead = () =>
  importFailures.unreadable({ message: 'This file takes too long to read. Save only the sheet that is to be imported, and send that.' })

function overPool(pool: Pool, sheetMs: number): Documents {
  const run = <V>(name: TaskName, input: unknown, { school, signal }: TaskOptions, more: TaskRun = {}) =>
    pool.run(name, input, { ...more, school, ...(signal ? { signal } : {}) }) as Promise<V>
  return {
    reportCards: async (input, options) => {
      const cards: MadeCard[] = []
      const answer = async ({ id, bytes, done, total }: CardQuestion) => {
        if (bytes) {
          cards.push({ id, bytes })
          await options.onCard?.({ id, bytes })
        }
        options.onProgress?.(done, total)
      }
      const failures = await run<{ id: string; message: string }[]>('cards', { input: withOwnCrest(input) }, options, { answer })
      return { cards, failures }
    },
    printRun: (input, { twoSided, ...options }) => run('printRun', { input: withOwnCrest(input), twoSided }, options),
    broadsheet: (input, format, options) => run('broadsheet', { input: withOwnCrest(input), format }, options),
    workbook: (input, options) => workbookOver(input, (asked, more) => run('workbook', asked, options, more)),
    readSheet: (upload, preferred, options) =>
      upload.bytes.byteLength === 0 || (upload.bytes.byteLength <= SMALL_CSV && sheetKind(upload) === 'csv')
        ? readSheet(upload, preferred)
        : sheetOver(alone(upload), preferred, (asked, more) =>
            run('sheet', asked, options, { ...more, limit: { timeMs: sheetMs, overdue: tooLongToRead } }),
          ),
    close: () => pool.close(),
  }
}

function workbookOver({ sheets, madeAt }: AnyWorkbook, run: (input: unknown, more: TaskRun) => Promise<Uint8Array>): Promise<Uint8Array> {
  const portions = sheets.map(({ rows }) => inPortions(rows))
  const answer = async ({ sheet }: RowsQuestion) => {
    const next = await portions[sheet]?.next()
    return next === undefined || next.done ? null : next.value
  }
  return run({ input: { madeAt, sheets: sheets.map((sheet) => ({ ...sheet, rows: null })) } }, { answer })
}

async function sheetOver(
  upload: Upload,
  preferred: readonly string[],
  run: (input: unknown, more: TaskRun) => Promise<string[]>,
): Promise<Sheet> {
  const rows: SheetRow[] = []
  const head = await run({ upload, preferred }, { answer: (portion: SheetRow[]) => void rows.push(...portion) })
  return { head, rows }
}

/**
 * Starts workers when there are tasks, and ends them after a while without any. One worker more than a school may use at a time, so that
 * no school waits only for another.
 */
export function openDocuments({
  sheetMs = limits.documents.sheetMs,
  ...options
}: Partial<PoolOptions & { sheetMs: number }> = {}): Documents {
  const share = Math.min(limits.documents.workers, Math.max(1, availableParallelism() - 1))
  return overPool(openPool({ entry: workerEntry(), size: share + 1, share, ...limits.documents, ...options }), sheetMs)
}
