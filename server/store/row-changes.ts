import { groupedBy } from '@markbook/shared/grouped-by'
import { COMMONS } from '@markbook/shared/ids'
import type { Changes } from '@markbook/shared/tables/changes'
import { idByNature } from '@markbook/shared/tables/natural'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import type { StoredVersions } from './dialect.ts'

export type AnyRow = Record<string, unknown> & { id: string }
export type Action = 'create' | 'update' | 'delete'
/**
 * What a transaction wrote of one row: from the first `before` to the last `after`. `ended`: it changed the row and then removed it, which
 * are two entries, and the row as it was between them.
 */
export type RowChange = {
  entryId: string
  ended?: { entryId: string; row: AnyRow } | undefined
  table: Replicated
  schoolId: string
  before: AnyRow | null
  after: AnyRow | null
  /** Rows that were written in one call have one set, for as long as they are written once. */
  units: ReadonlySet<string>
  /** Its versions before the transaction: null where it had none, absent until they are read. */
  stored?: StoredVersions | null
}

/** Rows of one statement are compared by value; a JSON column by its text. */
export const same = (a: unknown, b: unknown) =>
  a === b || (typeof a === 'object' && a !== null && b !== null && JSON.stringify(a) === JSON.stringify(b))

/** A row that is removed, as it was at last, without what every node computes anew. */
export const claimsOf = (entry: RowChange): AnyRow => {
  const { identity, units } = descriptions[entry.table]
  const row = rowOf(entry)
  return Object.fromEntries([...identity, ...Object.values(units).flat()].map((name) => [name, row[name] ?? null])) as AnyRow
}

export const rowOf = ({ before, ended, after }: RowChange): AnyRow => (after ?? ended?.row ?? before) as AnyRow

/** Two where a row was changed and then removed, else itself. */
export const entriesIn = (entry: RowChange): RowChange[] => {
  const { ended, after, before, entryId } = entry
  if (!ended || after !== null || before === null) return [entry]
  const between = { ...entry, ended: undefined }
  return [
    { ...between, entryId, after: ended.row },
    { ...between, entryId: ended.entryId, before: ended.row },
  ]
}

export const actionOf = (entry: RowChange): Action | null => {
  if (entry.before === null) return entry.after === null ? null : 'create'
  return entry.after === null ? 'delete' : 'update'
}

export const schoolOf = (table: Replicated, row: AnyRow): string => {
  const { scope } = descriptions[table]
  if (scope === 'commons') return COMMONS
  return scope === 'self' ? row.id : (row['school_id'] as string)
}

/** The row with whose history that of this one lies; itself where its values do not say. */
export const nearOf = (table: Replicated, row: AnyRow): string => String(row[descriptions[table].near ?? 'id'] ?? row.id)

export const bySchool = (table: Replicated, rows: readonly AnyRow[]) => groupedBy(rows, (row) => schoolOf(table, row))

/** The units of which these columns are part. Equal columns give the same set: rows that change together mostly change in the same. */
export function unitsByColumns(table: Replicated): (columns: readonly string[]) => ReadonlySet<string> {
  const known = new Map<string, ReadonlySet<string>>()
  const units = Object.entries(descriptions[table].units)
  return (columns) => {
    const key = columns.join()
    const found =
      known.get(key) ?? new Set(units.filter(([, members]) => members.some((each) => columns.includes(each))).map(([unit]) => unit))
    known.set(key, found)
    return found
  }
}

/** A new row with the id that follows from its columns, where the description says from which. Throws where it has another. */
export function withId(table: Replicated, row: AnyRow): AnyRow {
  const id = idByNature(table, row)
  if (id === undefined || id === row.id) return row
  if (row.id !== null) throw new Error(`${table} ${row.id} is not called as what it is of says (shared/tables/natural.ts)`)
  return { ...row, id }
}

/** What a person would call the change: no keys of the store, no folded names, no bookkeeping times. */
const HIDDEN = new Set(['school_id', 'sort_key', 'search_key', 'created_at', 'updated_at', 'created_by', 'updated_by'])

export function changesOf({ table, before, after }: RowChange): Changes {
  const changes: Changes = {}
  for (const name of Object.keys((after ?? before) as AnyRow)) {
    const [was, is] = [before?.[name] ?? null, after?.[name] ?? null]
    if (!same(was, is) && !HIDDEN.has(name) && !descriptions[table].sealed?.includes(name)) changes[name] = { before: was, after: is }
  }
  return changes
}
