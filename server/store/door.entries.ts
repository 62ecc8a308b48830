import { COMMONS } from '@markbook/shared/ids'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'

export type AnyRow = Record<string, unknown> & { id: string }
export type Action = 'create' | 'update' | 'delete'
/** What a transaction wrote of one row: from the first `before` to the last `after`. */
export type Written = {
  entryId: string
  table: Replicated
  schoolId: string
  before: AnyRow | null
  after: AnyRow | null
  units: Set<string>
}

/** Rows of one statement are compared by value; a JSON column by its text. */
export const same = (a: unknown, b: unknown) =>
  a === b || (typeof a === 'object' && a !== null && b !== null && JSON.stringify(a) === JSON.stringify(b))

/** The row as it was, without what every node computes anew. */
export const claimsOf = ({ table, before }: Written): AnyRow => {
  const { identity, units } = descriptions[table]
  return Object.fromEntries([...identity, ...Object.values(units).flat()].map((name) => [name, before?.[name] ?? null])) as AnyRow
}

export const rowOf = (entry: Written): AnyRow => (entry.after ?? entry.before) as AnyRow

export const actionOf = (entry: Written): Action | null => {
  if (entry.before === null) return entry.after === null ? null : 'create'
  return entry.after === null ? 'delete' : 'update'
}

export const schoolOf = (table: Replicated, row: AnyRow): string => {
  const { scope } = descriptions[table]
  if (scope === 'commons') return COMMONS
  return scope === 'self' ? row.id : (row['school_id'] as string)
}

/** The row with whose history that of this one lies. */
export const nearOf = (table: Replicated, row: AnyRow): string => {
  const { near } = descriptions[table]
  return near === undefined ? row.id : (row[near] as string)
}

export const bySchool = (table: Replicated, rows: readonly AnyRow[]) => {
  const groups = new Map<string, AnyRow[]>()
  for (const row of rows) {
    const schoolId = schoolOf(table, row)
    const group = groups.get(schoolId)
    if (group) group.push(row)
    else groups.set(schoolId, [row])
  }
  return groups
}

export const unitsOf = (table: Replicated, columns: readonly string[]): string[] =>
  Object.entries(descriptions[table].units)
    .filter(([, members]) => members.some((member) => columns.includes(member)))
    .map(([unit]) => unit)

/** What a person would call the change: no keys of the store, no folded names, no bookkeeping times. */
const HIDDEN = new Set(['school_id', 'sort_key', 'search_key', 'created_at', 'updated_at', 'created_by', 'updated_by'])

export function changesOf({ table, before, after }: Written): Record<string, { before: unknown; after: unknown }> {
  const changes: Record<string, { before: unknown; after: unknown }> = {}
  for (const name of Object.keys((after ?? before) as AnyRow)) {
    const [was, is] = [before?.[name] ?? null, after?.[name] ?? null]
    if (!HIDDEN.has(name) && !descriptions[table].sealed?.includes(name) && !same(was, is)) changes[name] = { before: was, after: is }
  }
  return changes
}
