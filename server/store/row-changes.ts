import { groupedBy } from '@markbook/shared/grouped-by'
import { COMMONS } from '@markbook/shared/ids'
import type { Changes } from '@markbook/shared/tables/changes'
import { naturalIdOf } from '@markbook/shared/tables/natural'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import type { StoredVersions } from './dialect.ts'

export type AnyRow = Record<string, unknown> & { id: string }
export type Action = 'create' | 'update' | 'delete'
/**
 * The change of one row by a transaction: from the first `before` to the last `after`. `ended`: the row as it was when the transaction
 * deleted it after changing it, which makes two entries.
 */
export type RowChange = {
  entryId: string
  ended?: { entryId: string; row: AnyRow } | undefined
  table: Replicated
  schoolId: string
  before: AnyRow | null
  after: AnyRow | null
  /** Rows written in one call share one set, as long as each is written once. */
  units: ReadonlySet<string>
  /** Its versions before the transaction: null where it had none, absent until they are read. */
  stored?: StoredVersions | null
}

/** Compares by value, since rows of one statement share objects; a JSON column by its text. */
export const same = (a: unknown, b: unknown) =>
  a === b || (typeof a === 'object' && a !== null && b !== null && JSON.stringify(a) === JSON.stringify(b))

/** A deleted row as it was last, without derived columns. */
export const claimsOf = (entry: RowChange): AnyRow => {
  const { identity, units } = descriptions[entry.table]
  const row = rowOf(entry)
  return Object.fromEntries([...identity, ...Object.values(units).flat()].map((name) => [name, row[name] ?? null])) as AnyRow
}

export const rowOf = ({ before, ended, after }: RowChange): AnyRow => (after ?? ended?.row ?? before) as AnyRow

/** Two entries where a row was changed and then deleted, else the change itself. */
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

/** The clustering key of a row's history (`Description.near`); the row's own id where that column is not declared. */
export const nearIdOf = (table: Replicated, row: AnyRow): string => String(row[descriptions[table].near ?? 'id'] ?? row.id)

export const bySchool = (table: Replicated, rows: readonly AnyRow[]) => groupedBy(rows, (row) => schoolOf(table, row))

/** The merge units of a set of columns. Equal sets of columns return the same Set object, since most rows of a transaction change alike. */
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

/** A new row with the id that is computed from its columns, where its table declares that. Throws where the row has another id. */
export function withId(table: Replicated, row: AnyRow): AnyRow {
  const id = naturalIdOf(table, row)
  if (id === undefined || id === row.id) return row
  if (row.id !== null) throw new Error(`${table} ${row.id} is not called as what it is of says (shared/tables/natural.ts)`)
  return { ...row, id }
}

/** Columns that the history does not show: keys of the store, folded names, timestamps. */
const HIDDEN = new Set(['school_id', 'sort_key', 'search_key', 'created_at', 'updated_at', 'created_by', 'updated_by'])

export function changesOf({ table, before, after }: RowChange): Changes {
  const changes: Changes = {}
  for (const name of Object.keys((after ?? before) as AnyRow)) {
    const [was, is] = [before?.[name] ?? null, after?.[name] ?? null]
    if (!same(was, is) && !HIDDEN.has(name) && !descriptions[table].sealed?.includes(name)) changes[name] = { before: was, after: is }
  }
  return changes
}
