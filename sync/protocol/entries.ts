import { z } from 'zod'
import { type Cells, cellsOf, isCells, valuesOf, weightOfCells } from './sheet.ts'

const Id = z.uuid()

/** An entry of the history as its node wrote it: `node_seq` and `head` in that node's chain. */
export const HistoryEntry = z.object({
  id: Id,
  at: z.iso.datetime(),
  actor_id: Id.nullable(),
  node_id: Id,
  entity: z.string().max(63),
  row_id: Id,
  /** Absent in what an older program wrote. */
  near_id: Id.optional(),
  action: z.enum(['create', 'update', 'delete']),
  changes: z.string().max(1_000_000),
  node_seq: z.int().min(0),
  head: z.string().max(64),
})
export type HistoryEntry = z.infer<typeof HistoryEntry>

type Column = keyof HistoryEntry
const COLUMNS = Object.keys(HistoryEntry.shape) as Column[]
const MOST = 100_000

/** Entries by column, for a parent that says that it can read them: what is the same in many stands once. */
const Entries = z.object({ count: z.int().min(0).max(MOST), cells: z.record(z.string().max(63), z.custom<Cells>()) }).refine(isWhole)
export type Entries = z.infer<typeof Entries>
export const History = z.union([Entries, z.array(HistoryEntry).max(MOST)])
export type History = z.infer<typeof History>

export function packEntries(entries: readonly HistoryEntry[]): Entries {
  const cells = COLUMNS.map((column): [string, Cells] => [column, cellsOf(entries.map((entry) => entry[column] ?? null))])
  return { count: entries.length, cells: Object.fromEntries(cells) }
}

/** Every value is looked at once, however many entries have it. */
function isWhole({ count, cells }: { count: number; cells: Readonly<Record<string, Cells>> }): boolean {
  return COLUMNS.every((column) => {
    const own = cells[column] ?? { all: null }
    return isCells(own, count) && distinctIn(own).every((value) => isValue(column, value))
  })
}

const distinctIn = (cells: Cells): readonly unknown[] => ('all' in cells ? [cells.all] : 'each' in cells ? cells.each : cells.of)
const isValue = (column: Column, value: unknown) =>
  (value === null && column === 'near_id') || HistoryEntry.shape[column].safeParse(value).success

export const countOf = (history: History): number => (Array.isArray(history) ? history.length : history.count)

/** In either form. */
export function entriesOf(history: History): HistoryEntry[] {
  if (Array.isArray(history)) return history
  const values = COLUMNS.map((column): [Column, (row: number) => unknown] => [column, valuesOf(history.cells[column] ?? { all: null })])
  return Array.from({ length: history.count }, (_, row) => {
    const entry: Record<string, unknown> = {}
    for (const [column, read] of values) entry[column] = read(row) ?? (column === 'near_id' ? undefined : null)
    return entry as HistoryEntry
  })
}

/** As of a sheet's rows. */
export const weightOfHistory = (history: History): number =>
  Array.isArray(history) ? 0 : Object.values(history.cells).reduce((sum, cells) => sum + weightOfCells(cells, history.count), 0)
