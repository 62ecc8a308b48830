import { z } from 'zod'
import type { Versions } from '../versions.ts'
import { isVersions } from './rows.ts'

/**
 * Rows of one table by column, for a reader that says that it can read them (SPEC, «The wire»). Rows that were written together bear the
 * same versions, which stand here once: `at` says for each of `ids` which of `versions` is its own, `[schema, vv, units, alive, extra]`.
 */
export type Shared = readonly [
  schema: number,
  vv: Versions['vv'],
  units: Versions['units'],
  alive: Versions['alive'],
  extra: Readonly<Record<string, Readonly<Record<string, unknown>>>> | null,
]
/** A column's values: the same in every row; or each row's; or the place of each row's among a few. */
export type Cells = { all: unknown } | { each: readonly unknown[] } | { of: readonly unknown[]; at: readonly number[] }
export type Cols = { versions: readonly Shared[]; ids: readonly string[]; at: readonly number[]; cells: readonly Cells[] }

/** Where fewer than one in so many values differ, they are named once. */
const FEW = 4

export const Sheet = z.object({
  table: z.string().max(63),
  columns: z.array(z.string().max(63)).max(100),
  /** Of which columns each unit is made, for a reader who does not know them. */
  units: z.record(z.string().max(63), z.array(z.string().max(63)).max(100)),
  sheet: z.custom<Cols>(isCols),
})
export type Sheet = z.infer<typeof Sheet>

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

/** Versions by their places. Rows whose versions are the same objects share a place. */
export class Versioned {
  readonly versions: Shared[] = []
  private readonly places = new Map<Versions['units'], number>()

  placeOf({ schema, vv, units, alive, extra }: Versions & { schema: number; extra: Shared[4] }): number {
    const known = this.places.get(units)
    if (known !== undefined && extra === null) {
      const [itsSchema, itsVv, , itsAlive] = this.versions[known] as Shared
      if (itsSchema === schema && itsVv === vv && itsAlive === alive) return known
    }
    const place = this.versions.push([schema, vv, units, alive, extra]) - 1
    if (extra === null) this.places.set(units, place)
    return place
  }
}

const isArray = Array.isArray
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !isArray(value)
/** Whether each is one of so many places. */
const arePlaces = (at: unknown, rows: number, places: number): boolean =>
  isArray(at) && at.length === rows && at.every((place) => Number.isInteger(place) && place >= 0 && place < places)

/** A column of so many rows. */
export const isCells = (cells: unknown, rows: number): boolean => {
  if (!isObject(cells)) return false
  const { each, of, at } = cells
  if ('all' in cells) return true
  if (each !== undefined) return isArray(each) && each.length === rows
  return isArray(of) && arePlaces(at, rows, of.length)
}

/** The form, without which nothing can be read; what the rows say is looked at row by row. */
function isCols(value: unknown): boolean {
  if (!isObject(value)) return false
  const { versions, ids, at, cells } = value
  if (!isArray(versions) || !versions.every(isArray) || !isArray(ids) || !isArray(cells)) return false
  return arePlaces(at, ids.length, versions.length) && cells.every((each) => isCells(each, ids.length))
}

/** Which of the versions are none: no honest program sends such. */
export const wrongVersions = ({ versions }: Cols): ReadonlySet<number> =>
  new Set(versions.flatMap((each, place) => (isVersions(each) ? [] : [place])))

const lengthOf = (value: unknown): number => (typeof value === 'string' ? value.length : (JSON.stringify(value)?.length ?? 0))
const sumOf = (lengths: readonly number[], at: readonly number[]) => at.reduce((sum, place) => sum + (lengths[place] as number), 0)

/** Characters of a column's values, each counted as often as it stands in a row, but for those that are named row by row anyway. */
export function weightOfCells(cells: Cells, rows: number): number {
  if ('all' in cells) return lengthOf(cells.all) * rows
  return 'of' in cells ? sumOf(cells.of.map(lengthOf), cells.at) : 0
}

/** Characters that rows have of what they share: a page is bounded by what it says, not by how shortly. */
export const weightOfSheet = ({ versions, ids, at, cells }: Cols): number =>
  cells.reduce((sum, each) => sum + weightOfCells(each, ids.length), sumOf(versions.map(lengthOf), at))
