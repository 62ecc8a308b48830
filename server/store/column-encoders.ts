import { Column, getTableColumns, type Table } from 'drizzle-orm'

export type Encoder = { name: string; encode: ((value: unknown) => unknown) | null }
const encoders = new WeakMap<Table, Encoder[]>()

/** How the values of each column become the driver's; null where they are. */
export function encodersOf(table: Table): Encoder[] {
  const known = encoders.get(table)
  if (known) return known
  const made = Object.entries(getTableColumns(table) as Record<string, Column>).map(([name, column]) => {
    const isPlain = column.mapToDriverValue === Column.prototype.mapToDriverValue
    return { name, encode: isPlain ? null : (value: unknown) => column.mapToDriverValue(value) }
  })
  encoders.set(table, made)
  return made
}

/** A row with all columns of its table, each value as the driver takes it. */
export function encoded(table: Table, row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const driver: Record<string, unknown> = {}
  for (const { name, encode } of encodersOf(table)) driver[name] = encodedValue(row[name], encode)
  return driver
}

/** The values of some columns of a row, in the order of the encoders, as the driver takes them. */
export const encodedValues = (row: Readonly<Record<string, unknown>>, columns: readonly Encoder[]): unknown[] =>
  columns.map(({ name, encode }) => encodedValue(row[name], encode))

const encodedValue = (value: unknown, encode: Encoder['encode']): unknown =>
  value === null || value === undefined ? null : encode === null ? value : encode(value)
