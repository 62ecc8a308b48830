import { isId } from '@markbook/shared/ids'
import { LAST_MOMENT } from '../versions.ts'

/**
 * Whether this is a row as it travels: `[id, schema, vv, units, alive, extra, …values]`. A page has thousands of them, so they are
 * looked at one by one and not copied, as a schema would; and one that is malformed does not stop the page.
 */
export const isRow = (row: unknown): boolean =>
  Array.isArray(row) && typeof row[0] === 'string' && isId(row[0]) && isVersions(row.slice(1, 6))

/** Whether these are a row's versions: `[schema, vv, units, alive, extra]`. */
export const isVersions = (versions: readonly unknown[]): boolean => {
  const [schema, vv, units, alive, extra] = versions
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
const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A key that every object has already is nobody's name. */
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
