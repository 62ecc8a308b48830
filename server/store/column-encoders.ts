import { Column, getTableColumns, type Table } from 'drizzle-orm'

export type Encoder = { name: string; encode: ((value: unknown) => unknown) | null }
const encoders = new WeakMap<Table, Encoder[]>()

/** For each column of the table, the function that converts a value for the driver; null where no conversion is needed. */
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

/** The row with every column of its table, converted for the driver. */
export function encoded(table: Table, row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const driver: Record<string, unknown> = {}
  for (const { name, encode } of encodersOf(table)) driver[name] = encodedValue(row[name], encode)
  return driver
}

/** The values of some columns of a row, converted for the driver, in the order of the encoders. */
export const encodedValues = (row: Readonly<Record<string, unknown>>, columns: readonly Encoder[]): unknown[] =>
  columns.map(({ name, encode }) => encodedValue(row[name], encode))

const encodedValue = (value: unknown, encode: Encoder['encode']): unknown =>
  value === null || value === undefined ? null : encode === null ? value : encode(value)
