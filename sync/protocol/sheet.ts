import { isRecord } from '@markbook/shared/tables/describe'
import { z } from 'zod'
import { LAST_MOMENT, type Versions } from '../versions.ts'
import { arePlaces, type Cells, isCells, lengthOf, sumOf, weightOfCells } from './cells.ts'

/** What a row bears besides its values; `extra`: by unit the columns of a newer program. Rows that were written together share it. */
export type Shared = readonly [
  schema: number,
  vv: Versions['vv'],
  units: Versions['units'],
  alive: Versions['alive'],
  extra: Readonly<Record<string, Readonly<Record<string, unknown>>>> | null,
]

const Names = z.array(z.string().max(63)).max(100)
const list = <T>() => z.custom<readonly T[]>(Array.isArray)

const Form = z.object({
  table: z.string().max(63),
  columns: Names,
  units: z.record(z.string().max(63), Names),
  versions: list<Shared>(),
  ids: list<string>(),
  at: list<number>(),
  cells: list<Cells>(),
})
export type Sheet = z.infer<typeof Form>
/**
 * Rows of one table as they travel, by column (SPEC, «Sheets»). `units`: the columns of each unit, for a reader who does not know them.
 * `at`: for each of `ids` the place of its versions in `versions`. `cells`: the values of each of `columns`. Only the form is checked here,
 * without which nothing can be read; rows are checked one by one (`page.ts`).
 */
export const Sheet = Form.refine(isWhole)

function isWhole({ columns, versions, ids, at, cells }: Sheet): boolean {
  const isFull = versions.every(Array.isArray) && arePlaces(at, ids.length, versions.length)
  return isFull && cells.length === columns.length && cells.every((each) => isCells(each, ids.length))
}

/** Versions and their places. Rows whose versions are the same objects share a place. */
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

/** The places of malformed versions, which no honest program sends. */
export const wrongVersions = ({ versions }: Pick<Sheet, 'versions'>): ReadonlySet<number> =>
  new Set(versions.flatMap((each, place) => (isVersions(each) ? [] : [place])))

function isVersions([schema, vv, units, alive, extra]: readonly unknown[]): boolean {
  return (
    isCounter(schema) &&
    schema > 0 &&
    isRecordOf(vv, isCounter) &&
    isRecordOf(units, isStamp) &&
    Array.isArray(alive) &&
    alive.every(isPresence) &&
    (extra === null || isRecordOf(extra, isRecord))
  )
}

const isCounter = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** The key `__proto__`, which every object has already, is refused. */
function isRecordOf(value: unknown, is: (each: unknown) => boolean): boolean {
  if (!isRecord(value)) return false
  for (const [key, each] of Object.entries(value as object)) if (key === '__proto__' || !is(each)) return false
  return true
}

const isPresence = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && typeof value[0] === 'string' && isCounter(value[1])

const isStamp = (value: unknown): boolean =>
  Array.isArray(value) &&
  (value.length === 4 || (value.length === 5 && Number.isFinite(value[4]))) &&
  typeof value[0] === 'string' &&
  isCounter(value[1]) &&
  isCounter(value[2]) &&
  value[2] <= LAST_MOMENT &&
  (value[3] === null || typeof value[3] === 'string')

/**
 * The characters of what rows share, each counted as often as it stands in a row: a page is bounded by what it says, not by how shortly.
 */
export const weightOf = (sheets: readonly Sheet[]): number =>
  sheets.reduce(
    (weight, { versions, ids, at, cells }) =>
      cells.reduce((sum, each) => sum + weightOfCells(each, ids.length), weight + sumOf(versions.map(lengthOf), at)),
    0,
  )

export const rowCountOf = (sheets: readonly Sheet[]): number => sheets.reduce((sum, { ids }) => sum + ids.length, 0)
