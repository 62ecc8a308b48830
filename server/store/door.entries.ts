import { COMMONS } from '@markbook/shared/ids'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'

export type AnyRow = Record<string, unknown> & { id: string }
export type Action = 'create' | 'update' | 'delete'
/**
 * What a transaction wrote of one row: from the first `before` to the last `after`. `ended`: it changed the row and then removed it, which
 * are two entries, and the row as it was between them.
 */
export type Written = {
  entryId: string
  ended?: { entryId: string; row: AnyRow } | undefined
  table: Replicated
  schoolId: string
  before: AnyRow | null
  after: AnyRow | null
  units: Set<string>
}

/** Rows of one statement are compared by value; a JSON column by its text. */
export const same = (a: unknown, b: unknown) =>
  a === b || (typeof a === 'object' && a !== null && b !== null && JSON.stringify(a) === JSON.stringify(b))

/** A row that is removed, as it was at last, without what every node computes anew. */
export const claimsOf = (entry: Written): AnyRow => {
  const { identity, units } = descriptions[entry.table]
  const row = rowOf(entry)
  return Object.fromEntries([...identity, ...Object.values(units).flat()].map((name) => [name, row[name] ?? null])) as AnyRow
}

export const rowOf = ({ before, ended, after }: Written): AnyRow => (after ?? ended?.row ?? before) as AnyRow

/** Two where a row was changed and then removed, else itself. */
export const entriesIn = (entry: Written): Written[] => {
  const { ended, after, before, entryId } = entry
  if (!ended || after !== null || before === null) return [entry]
  const between = { ...entry, ended: undefined }
  return [
    { ...between, entryId, after: ended.row },
    { ...between, entryId: ended.entryId, before: ended.row },
  ]
}

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
