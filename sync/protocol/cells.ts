/**
 * The values of one column, of rows (`sheet.ts`) or of the history (`entries.ts`): one value for all; or one for each; or for each its
 * place in a list of distinct values.
 */
export type Cells = { all: unknown } | { each: readonly unknown[] } | { of: readonly unknown[]; at: readonly number[] }

/** Distinct values are listed where they are at most one in so many. */
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

/** Returns how to read the value of a row. */
export function valuesOf(cells: Cells): (row: number) => unknown {
  if ('all' in cells) return () => cells.all
  if ('each' in cells) return (row) => cells.each[row]
  const { of, at } = cells
  return (row) => of[at[row] as number]
}

const isArray = Array.isArray
/** Whether `at` has, for each of `rows` rows, one of `places` places. */
export const arePlaces = (at: unknown, rows: number, places: number): boolean =>
  isArray(at) && at.length === rows && at.every((place) => Number.isInteger(place) && place >= 0 && place < places)

/** Whether this is a column of `rows` rows. */
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

/** The characters of a column's values, each counted as often as it stands in a row; 0 for a column that names each row's value anyway. */
export function weightOfCells(cells: Cells, rows: number): number {
  if ('all' in cells) return lengthOf(cells.all) * rows
  return 'of' in cells ? sumOf(cells.of.map(lengthOf), cells.at) : 0
}
