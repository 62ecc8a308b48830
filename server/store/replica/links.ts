import { COMMONS, naturalId } from '@markbook/shared/ids'
import { sqliteTables } from '@markbook/shared/tables/sqlite'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { getTableName } from 'drizzle-orm'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'

export type AnyRow = Record<string, unknown> & { id: string }

/** A foreign key between two replicated tables, by the columns other than the school's. */
export type Link = { child: Replicated; parent: Replicated; columns: readonly string[]; parentColumns: readonly string[] }

/** Parents before children: the order in which rows can be written. */
export const tableOrder = Object.keys(descriptions) as Replicated[]

/** A row by its table and id. */
export type RowName<T extends string = string> = { table: T; id: string }
export const keyOf = ({ table, id }: RowName): string => `${table}:${id}`
export const keyOfRow = ({ table, state }: { table: string; state: { id: string } }): string => keyOf({ table, id: state.id })

/** The ids of rows by table, each once, in `tableOrder`; without tables that are unknown here. */
export function idsByTable(rows: readonly RowName[]): [Replicated, string[]][] {
  const ids = new Map<string, Set<string>>()
  for (const { table, id } of rows) ids.set(table, (ids.get(table) ?? new Set()).add(id))
  return tableOrder.flatMap((table): [Replicated, string[]][] => (ids.has(table) ? [[table, [...(ids.get(table) ?? [])]]] : []))
}

const links: readonly Link[] = tableOrder.flatMap((child) =>
  getTableConfig(sqliteTables[child] as SQLiteTable).foreignKeys.map((key) => {
    const { columns, foreignColumns, foreignTable } = key.reference()
    const parent = getTableName(foreignTable) as Replicated
    const pairs = columns.map((column, at) => [column.name, foreignColumns[at]?.name ?? ''] as const)
    const own = parent === 'school' ? pairs : pairs.filter(([name]) => name !== 'school_id')
    return { child, parent, columns: own.map(([name]) => name), parentColumns: own.map(([, name]) => name) }
  }),
)
export const linksFrom = (child: Replicated): readonly Link[] => links.filter((link) => link.child === child)
export const linksTo = (parent: Replicated): readonly Link[] => links.filter((link) => link.parent === parent)

/** The id of the row that a key names; null where it names none. */
export function parentIdOf({ columns, parentColumns, parent }: Link, row: AnyRow): string | null {
  const at = parentColumns.indexOf('id')
  if (at >= 0) return (row[columns[at] as string] as string | null) ?? null
  if (parent !== 'teacher_group_assignment') throw new Error(`${parent} is named without its id`)
  return naturalId('teacher_group_assignment', row['user_profile_id'] as string, row['student_group_id'] as string)
}

/** Whether a row names another parent row than before. */
export const hasMoved = (table: Replicated, before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): boolean =>
  linksFrom(table).some(({ columns }) => columns.some((name) => name in after && after[name] !== before[name]))

/** The school under which a table's versions stand. */
export const scopeIn = (table: Replicated, schoolId: string): string => (descriptions[table].scope === 'commons' ? COMMONS : schoolId)
