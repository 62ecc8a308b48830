/**
 * The values of a column, which rows (`sheet.ts`) and the history (`entries.ts`) share: the same in every row; or each row's; or the place of
 * each row's among a few.
 */
export type Cells = { all: unknown } | { each: readonly unknown[] } | { of: readonly unknown[]; at: readonly number[] }

/** Where fewer than one in so many values differ, they are named once. */
const FEW = 4

export function cellsOf(values: readonly unknown[]): Cells {
  const places = new Map<unknown, number>()
  const at: number[] = []
  for (const value of values) {
    let place = places.get(value)
    if (place === undefined) {
      place = places.size
      if (place > 0 && place * FEW > values.length) return { each: values }
      places.set(value, place)
    }
    at.push(place)
  }
  const of = [...places.keys()]
  return of.length === 1 ? { all: of[0] } : { of, at }
}

/** How to read a column by the number of a row. */
export function valuesOf(cells: Cells): (row: number) => unknown {
  if ('all' in cells) return () => cells.all
  if ('each' in cells) return (row) => cells.each[row]
  const { of, at } = cells
  return (row) => of[at[row] as number]
}

const isArray = Array.isArray
/** Whether each of so many rows has one of so many places. */
export const arePlaces = (at: unknown, rows: number, places: number): boolean =>
  isArray(at) && at.length === rows && at.every((place) => Number.isInteger(place) && place >= 0 && place < places)

/** Whether this is a column of so many rows. */
export function isCells(cells: unknown, rows: number): boolean {
  if (typeof cells !== 'object' || cells === null || isArray(cells)) return false
  if ('all' in cells) return true
  const { each, of, at } = cells as Record<string, unknown>
  if (each !== undefined) return isArray(each) && each.length === rows
  return isArray(of) && arePlaces(at, rows, of.length)
}

export const lengthOf = (value: unknown): number => (typeof value === 'string' ? value.length : (JSON.stringify(value)?.length ?? 0))
export const sumOf = (lengths: readonly number[], at: readonly number[]): number =>
  at.reduce((sum, place) => sum + (lengths[place] as number), 0)

/** Characters of a column's values, each counted as often as it stands in a row, but for those that are named row by row anyway. */
export function weightOfCells(cells: Cells, rows: number): number {
  if ('all' in cells) return lengthOf(cells.all) * rows
  return 'of' in cells ? sumOf(cells.of.map(lengthOf), cells.at) : 0
}
