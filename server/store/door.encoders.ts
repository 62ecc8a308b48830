import { Column, getTableColumns, type Table } from 'drizzle-orm'

type Encoder = { name: string; encode: ((value: unknown) => unknown) | null }
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
