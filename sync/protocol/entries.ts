import { z } from 'zod'
import { type Cells, cellsOf, isCells, valuesOf, weightOfCells } from './cells.ts'

const Id = z.uuid()

/** An entry of the history as its node wrote it: `node_seq` and `head` in that node's chain. */
export const HistoryEntry = z.object({
  id: Id,
  at: z.iso.datetime(),
  actor_id: Id.nullable(),
  node_id: Id,
  entity: z.string().max(63),
  row_id: Id,
  near_id: Id,
  action: z.enum(['create', 'update', 'delete']),
  changes: z.string().max(1_000_000),
  /** JSON, see sync/journal.ts. */
  detail: z.string().max(1_000_000).nullable(),
  node_seq: z.int().min(0),
  head: z.string().max(64),
  /** On one entry of a transaction: its node's signature, and the digests of the transaction's entries that are not told. */
  proof: z.string().max(1_000_000).nullable(),
})
export type HistoryEntry = z.infer<typeof HistoryEntry>

type Column = keyof HistoryEntry
const COLUMNS = Object.keys(HistoryEntry.shape) as Column[]
const MOST = 100_000

/** Entries by column: a value that many share stands once. */
export const History = z.object({ count: z.int().min(0).max(MOST), cells: z.record(z.string().max(63), z.custom<Cells>()) }).refine(isWhole)
export type History = z.infer<typeof History>

export function packEntries(entries: readonly HistoryEntry[]): History {
  const cells = COLUMNS.map((column): [string, Cells] => [column, cellsOf(entries.map((entry) => entry[column] ?? null))])
  return { count: entries.length, cells: Object.fromEntries(cells) }
}

/** Each distinct value is checked once, however many entries have it. */
function isWhole({ count, cells }: { count: number; cells: Readonly<Record<string, Cells>> }): boolean {
  return COLUMNS.every((column) => {
    const own = cells[column] ?? { all: null }
    return isCells(own, count) && distinctIn(own).every((value) => isValue(column, value))
  })
}

const distinctIn = (cells: Cells): readonly unknown[] => ('all' in cells ? [cells.all] : 'each' in cells ? cells.each : cells.of)
const isValue = (column: Column, value: unknown) => HistoryEntry.shape[column].safeParse(value).success

export function entriesOf(history: History): HistoryEntry[] {
  const values = COLUMNS.map((column): [Column, (row: number) => unknown] => [column, valuesOf(history.cells[column] ?? { all: null })])
  return Array.from({ length: history.count }, (_, row) => {
    const entry: Record<string, unknown> = {}
    for (const [column, read] of values) entry[column] = read(row) ?? null
    return entry as HistoryEntry
  })
}

/** Like the weight of sheets (`weightOf`). */
export const weightOfHistory = (history: History): number =>
  Object.values(history.cells).reduce((sum, cells) => sum + weightOfCells(cells, history.count), 0)
