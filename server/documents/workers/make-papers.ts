import { availableParallelism } from 'node:os'
import { limits } from '@markbook/shared/limits'
import type { BroadsheetFormat } from '../broadsheet/broadsheet.input.ts'
import { ownBytes } from '../drawing/paper.ts'
import type { AnyWorkbook, MadeCard, Papers, Progress, TaskOptions } from '../papers.ts'
import { readSheet } from '../read-sheet.ts'
import { periodOf, periodText } from '../report-card/words.ts'
import { sheetKind, type Upload } from '../sheet-kind.ts'
import type { Sheet, SheetRow } from '../table.ts'
import type { Portions, WorkbookRow } from '../workbook.ts'
import { workerEntry } from './entry.ts'
import { openPool, type Pool, type PoolOptions, type RunOptions } from './pool.ts'
import type { CardQuestion, ProgressQuestion, RowsQuestion, TaskName } from './tasks.ts'

const TYPES: Record<BroadsheetFormat, string> = {
  pdf: 'application/pdf',
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/** Rows that cross to a worker at once. */
const PORTION = 400
/** A CSV of this many bytes is read in a few milliseconds, sooner than a worker starts. */
const SMALL_CSV = 65_536

const watch = (onProgress?: Progress) => (onProgress ? { hear: ({ done, total }: ProgressQuestion) => onProgress(done, total) } : {})

/** Rows that are all there go in portions; those that come in portions go as they come. */
async function* inPortions(rows: readonly WorkbookRow[] | Portions): AsyncGenerator<readonly WorkbookRow[]> {
  if (!Array.isArray(rows)) yield* rows as Portions
  else for (let at = 0; at < rows.length; at += PORTION) yield rows.slice(at, at + PORTION)
}

/** Drops what a picture or an upload may share with others, so that only its own bytes are copied. */
const alone = <T extends { bytes: Uint8Array }>(holder: T): T => ({ ...holder, bytes: ownBytes(holder.bytes) })
const withOwnCrest = <T extends { school: { crest: { bytes: Uint8Array } | null } }>(input: T): T =>
  input.school.crest === null ? input : { ...input, school: { ...input.school, crest: alone(input.school.crest) } }

const isSmallCsv = (upload: Upload) => upload.bytes.byteLength <= SMALL_CSV && sheetKind(upload) === 'csv'

function overPool(pool: Pool): Papers {
  const run = <V>(name: TaskName, input: unknown, { signal }: TaskOptions, more: RunOptions = {}) =>
    pool.run(name, input, { ...more, ...(signal ? { signal } : {}) }) as Promise<V>
  return {
    reportCards: async (input, options = {}) => {
      const cards: MadeCard[] = []
      const hear = async ({ id, bytes, done, total }: CardQuestion) => {
        if (bytes) {
          cards.push({ id, bytes })
          await options.onCard?.({ id, bytes })
        }
        options.onProgress?.(done, total)
      }
      const failures = await run<{ id: string; message: string }[]>('cards', { input: withOwnCrest(input) }, options, { hear })
      return { cards, failures }
    },
    printRun: async (input, options = {}) => {
      const asked = { input: withOwnCrest(input), twoSided: options.twoSided ?? false }
      const bytes = await run<Uint8Array>('printRun', asked, options, watch(options.onProgress))
      return { bytes, contentType: 'application/pdf', filename: `Report cards ${input.class_name} ${periodOf(input, input.layout)}.pdf` }
    },
    merge: (files, options = {}) =>
      run('merge', { files: files.map(ownBytes), twoSided: options.twoSided ?? false }, options, watch(options.onProgress)),
    broadsheet: async (input, format, options = {}) => {
      const bytes = await run<Uint8Array>('broadsheet', { input: withOwnCrest(input), format }, options)
      return {
        bytes,
        contentType: TYPES[format],
        filename: `Broadsheet ${input.class_name} ${periodText(input, input.report_type === 'term')}.${format}`,
      }
    },
    workbook: (input, options = {}) => workbookOver(input, (asked, more) => run('workbook', asked, options, more)),
    readSheet: (upload, preferred = [], options = {}) =>
      upload.bytes.byteLength === 0 || isSmallCsv(upload)
        ? readSheet(upload, preferred)
        : sheetOver(alone(upload), preferred, (asked, more) => run('sheet', asked, options, more)),
    close: () => pool.close(),
  }
}

function workbookOver(
  { sheets, madeAt }: AnyWorkbook,
  run: (input: unknown, more: RunOptions) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const portions = sheets.map(({ rows }) => inPortions(rows))
  const hear = async ({ sheet }: RowsQuestion) => {
    const next = await portions[sheet]?.next()
    return next === undefined || next.done ? null : next.value
  }
  return run({ input: { madeAt, sheets: sheets.map((sheet) => ({ ...sheet, rows: null })) } }, { hear })
}

async function sheetOver(
  upload: Upload,
  preferred: readonly string[],
  run: (input: unknown, more: RunOptions) => Promise<string[]>,
): Promise<Sheet> {
  const rows: SheetRow[] = []
  const head = await run({ upload, preferred }, { hear: (portion: SheetRow[]) => void rows.push(...portion) })
  return { head, rows }
}

/** Workers are started when there is something to make, and end when there has been nothing for a while. */
export function makePapers(options: Partial<PoolOptions> = {}): Papers {
  const size = Math.min(limits.papers.workers, Math.max(1, availableParallelism() - 1))
  return overPool(openPool({ entry: workerEntry(), size, ...limits.papers, ...options }))
}
