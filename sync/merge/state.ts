import type { Versions } from '../versions.ts'

export type Values = Readonly<Record<string, unknown>>

/**
 * A row as it travels and is merged. `values` are claims: the columns of the identity and of the units as they were written, whatever a
 * rule between rows lets stand on a node (`settle`). A deleted row keeps its last values: an edit that the deletion had not seen brings
 * them back. `extra`: {unit: {column: value}} of a newer schema, kept and sent on.
 */
export type RowState = Versions & { id: string; schema: number; values: Values; extra: Readonly<Record<string, Values>> | null }

/** The columns of a table's units, as declared beside it (`shared/tables/describe.ts`). */
export type Shape = { identity: readonly string[]; units: Readonly<Record<string, readonly string[]>> }

/** Equal values give equal text: keys in order, nothing undefined. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical)}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  const entries = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`)}}`
}

/** Whether two values have the same canonical text, without making it. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return (a ?? null) === (b ?? null)
  if (Array.isArray(a) || Array.isArray(b))
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((each, at) => isSame(each, b[at]))
  const [mine, theirs] = [a, b] as [Values, Values]
  const isIn = (name: string) => mine[name] !== undefined
  for (const name in mine) if (isIn(name) && (theirs[name] === undefined || !isSame(mine[name], theirs[name]))) return false
  for (const name in theirs) if (theirs[name] !== undefined && !isIn(name)) return false
  return true
}

export const pick = (values: Values, columns: readonly string[]): Values =>
  Object.fromEntries(columns.map((column) => [column, values[column] ?? null]))
