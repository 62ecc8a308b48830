type Snapshot = { tables: { [table: string]: { columns: { [column: string]: { notNull: boolean; default?: unknown } } } } }

/**
 * Corrects a migration of drizzle-kit for SQLite. Where a table is rebuilt, as for a new check, drizzle-kit copies its new columns out of
 * the old table, which has none of them; they get their default instead, or null. `before` and `after` are drizzle-kit's snapshots.
 */
export function withoutMissingColumns(migration: string, before: Snapshot, after: Snapshot): string {
  return migration.replace(
    /(INSERT INTO `__new_(\w+)`\([^)]*\) SELECT )(.*?)( FROM )/g,
    (_, start: string, table: string, copied: string, end: string) => {
      const values = copied.split(', ').map((quoted) => {
        const name = /^"(\w+)"$/.exec(quoted)?.[1]
        return !name || before.tables[table]?.columns[name] ? quoted : valueOfNew(table, name, after)
      })
      return `${start}${values.join(', ')}${end}`
    },
  )
}

function valueOfNew(table: string, name: string, after: Snapshot): string {
  const column = after.tables[table]?.columns[name]
  if (column?.default !== undefined) return String(column.default)
  if (column?.notNull)
    throw new Error(`${table}.${name} may not be null and has no default: rows of before have no value. Give it one in shared/tables.`)
  return 'NULL'
}
