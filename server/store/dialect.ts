import { createHash } from 'node:crypto'
import { postgresTables } from '@markbook/shared/tables/postgres'
import { sqliteTables } from '@markbook/shared/tables/sqlite'
import { descriptions, type Replicated, type Tables } from '@markbook/shared/tables/tables'
import { type Column, getTableColumns, getTableName, type SQL, sql, type Table } from 'drizzle-orm'
import { getTableConfig } from 'drizzle-orm/pg-core'
import type { Line } from './line.ts'

/**
 * Everything that differs between the two databases, each thing under a name. Nothing else in the program asks which
 * database it is.
 */
export type Dialect = {
  readonly name: 'sqlite' | 'postgres'
  readonly tables: Tables
  /** Appended to a select in a writing transaction, so that what is loaded to be changed stays as loaded. */
  lockOf(table: string): string
  /** Writes rows of one table in few statements; `replace` overwrites rows with the same key. Values are driver values. */
  writeRows(line: Line, table: Table, rows: readonly Record<string, unknown>[], how: 'insert' | 'replace'): Promise<void>
  deleteRows(line: Line, table: Table, schoolId: string | null, ids: readonly string[]): Promise<void>
  /** The versions kept of these rows. */
  versionsOf(line: Line, schoolId: string, table: string, ids: readonly string[]): Promise<StoredVersions[]>
  /** Advances the school's feed and writes what hangs on its number; the last statement of a transaction. */
  advance(line: Line, feed: FeedWrite): Promise<void>
  /** `column in (the JSON array in this parameter)`. */
  inList(column: Column, jsonParameter: unknown): SQL<boolean>
  /**
   * The rows of a group as the text of one JSON array of arrays: building an object for every row is most of the cost of reading
   * many (design/performance.md). A flag comes as 0 and 1, or as false and true.
   */
  rowsAsText(columns: readonly Column[]): SQL<string>
  /** True where the folded column holds the text, letter for letter: no wildcard means anything. */
  contains(column: Column, text: unknown): SQL<boolean>
}

export type StoredVersions = { row_id: string; vv: string; units: string }
export type SyncRowWrite = { table_name: string; row_id: string; vv: string; units: string; deleted: boolean }
export type HistoryWrite = {
  id: string
  at: string
  actor_id: string | null
  node_id: string
  entity: string
  row_id: string
  action: string
  changes: string
}
export type FeedWrite = { schoolId: string; schema: number; digest: string; rows: SyncRowWrite[]; history: HistoryWrite[] }

const PENDING_JSON = '"#"'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const quoted = (name: string) => `"${name}"`
const columnNames = (table: Table) => Object.keys(getTableColumns(table))
const keyOf = (table: Table) => (descriptions[getTableName(table) as Replicated].scope === 'school' ? ['school_id', 'id'] : ['id'])
const memo = <A extends object>(make: (key: A, variant: string) => string) => {
  const known = new WeakMap<A, Map<string, string>>()
  return (key: A, variant: string) => {
    const variants = known.get(key) ?? new Map<string, string>()
    known.set(key, variants)
    const text = variants.get(variant) ?? make(key, variant)
    variants.set(variant, text)
    return text
  }
}
const onConflict = (table: Table) => {
  const key = keyOf(table)
  const rest = columnNames(table).filter((name) => !key.includes(name))
  return ` on conflict (${key.map(quoted)}) do update set ${rest.map((name) => `${quoted(name)} = excluded.${quoted(name)}`)}`
}

const listed = (columns: readonly Column[]) => sql.join([...columns], sql`, `)

/** SQLite allows 32,766 parameters a statement; chunks stay well below and repeat in size, so that statements are reused. */
const SQLITE_PARAMETERS = 16_000

const sqliteInsert = memo((table: Table, variant) => {
  const [how, count] = variant.split(':') as [string, string]
  const names = columnNames(table)
  const tuple = `(${names.map(() => '?')})`
  const text = `insert into ${quoted(getTableName(table))} (${names.map(quoted)}) values ${Array(Number(count)).fill(tuple)}`
  return how === 'replace' ? text + onConflict(table) : text
})

async function sqliteChunks<R>(rows: readonly R[], width: number, write: (chunk: readonly R[]) => Promise<void>) {
  const size = Math.max(1, Math.floor(SQLITE_PARAMETERS / width))
  for (let at = 0; at < rows.length; at += size) await write(rows.slice(at, at + size))
}

async function sqliteWrite(line: Line, table: Table, rows: readonly Record<string, unknown>[], how: 'insert' | 'replace') {
  const names = columnNames(table)
  await sqliteChunks(rows, names.length, (chunk) =>
    line.run(
      sqliteInsert(table, `${how}:${chunk.length}`),
      chunk.flatMap((row) => names.map((name) => row[name] ?? null)),
    ),
  )
}

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  tables: sqliteTables,
  lockOf: () => '',
  writeRows: sqliteWrite,
  deleteRows: async (line, table, schoolId, ids) => {
    const scope = schoolId === null ? '' : 'school_id = ? and '
    await line.run(`delete from ${quoted(getTableName(table))} where ${scope}id in (select value from json_each(?))`, [
      ...(schoolId === null ? [] : [schoolId]),
      JSON.stringify(ids),
    ])
  },
  versionsOf: (line, schoolId, table, ids) =>
    line.rows(
      'select row_id, vv, units from sync_row where school_id = ? and table_name = ? and row_id in (select value from json_each(?))',
      [schoolId, table, JSON.stringify(ids)],
    ),
  advance: async (line, { schoolId, schema, digest, rows, history }) => {
    const [known] = await line.rows<{ seq: number; head: string }>('select seq, head from sync_feed where school_id = ?', [schoolId])
    const seq = (known?.seq ?? 0) + 1
    const head = sha256((known?.head ?? '') + digest)
    await line.run(
      'insert into sync_feed (school_id, seq, head) values (?, ?, ?) on conflict (school_id) do update set seq = excluded.seq, head = excluded.head',
      [schoolId, seq, head],
    )
    const counted = (text: string) => text.replaceAll(PENDING_JSON, String(seq))
    const stamped = rows.map((row) => ({
      ...row,
      school_id: schoolId,
      seq,
      vv: counted(row.vv),
      units: counted(row.units),
      deleted: row.deleted ? 1 : 0,
      schema,
      extra: null,
    }))
    await sqliteChunks(stamped, 9, (chunk) =>
      line.run(
        sqliteSyncRows(chunk.length),
        chunk.flatMap((row) => SYNC_ROW.map((name) => row[name])),
      ),
    )
    await sqliteWrite(
      line,
      sqliteTables.history,
      history.map((entry) => ({ ...entry, school_id: schoolId, seq, head })),
      'insert',
    )
  },
  inList: (column, jsonParameter) => sql`${column} in (select value from json_each(${jsonParameter}))`,
  rowsAsText: (columns) => sql`json_group_array(json_array(${listed(columns)}))`,
  contains: (column, text) => sql`instr(${column}, ${text}) > 0`,
}

const SYNC_ROW = ['school_id', 'table_name', 'row_id', 'seq', 'vv', 'units', 'deleted', 'schema', 'extra'] as const
const SYNC_ROW_UPDATE =
  'on conflict (school_id, table_name, row_id) do update set seq = excluded.seq, vv = excluded.vv, units = excluded.units, deleted = excluded.deleted, schema = excluded.schema'
const syncRowTexts = new Map<number, string>()
const sqliteSyncRows = (count: number) => {
  const text =
    syncRowTexts.get(count) ??
    `insert into sync_row (${SYNC_ROW.map(quoted)}) values ${Array(count).fill('(?,?,?,?,?,?,?,?,?)')} ${SYNC_ROW_UPDATE}`
  syncRowTexts.set(count, text)
  return text
}

const place = (table: Table) => {
  const { schema, name } = getTableConfig(table as never)
  return schema ? `${quoted(schema)}.${quoted(name)}` : quoted(name)
}

/** One parameter whatever the number of rows: the text, and so the prepared statement, is always the same. */
const postgresInsert = memo((table: Table, how) => {
  const names = columnNames(table).map(quoted)
  const text = `insert into ${place(table)} (${names}) select ${names} from json_populate_recordset(null::${place(table)}, $1::text::json)`
  return how === 'replace' ? text + onConflict(table) : text
})

const POSTGRES_ADVANCE = `
  with feed as (
    insert into sync.sync_feed as f (school_id, seq, head) values ($1, 1, encode(sha256(convert_to($2, 'UTF8')), 'hex'))
    on conflict (school_id) do update set seq = f.seq + 1, head = encode(sha256(convert_to(f.head || $2, 'UTF8')), 'hex')
    returning seq, head
  ), stamped as (
    insert into sync.sync_row (school_id, table_name, row_id, seq, vv, units, deleted, schema)
    select $1, r.table_name, r.row_id, feed.seq, replace(r.vv, '"#"', feed.seq::text), replace(r.units, '"#"', feed.seq::text), r.deleted, $3::int
    from feed, json_to_recordset($4::text::json) as r(table_name text, row_id uuid, vv text, units text, deleted boolean)
    ${SYNC_ROW_UPDATE}
  )
  insert into sync.history (id, school_id, seq, at, actor_id, node_id, entity, row_id, action, changes, head)
  select h.id, $1, feed.seq, h.at, h.actor_id, h.node_id, h.entity, h.row_id, h.action, h.changes, feed.head
  from feed, json_to_recordset($5::text::json)
    as h(id uuid, at timestamptz, actor_id uuid, node_id uuid, entity text, row_id uuid, action text, changes text)`

export const postgresDialect: Dialect = {
  name: 'postgres',
  tables: postgresTables as unknown as Tables,
  lockOf: (table) => ` for no key update of ${quoted(table)}`,
  writeRows: async (line, table, rows, how) => {
    if (rows.length > 0) await line.run(postgresInsert(table, how), [JSON.stringify(rows)])
  },
  deleteRows: async (line, table, schoolId, ids) => {
    const scope = schoolId === null ? '' : 'school_id = $2 and '
    await line.run(`delete from ${place(table)} where ${scope}id in (select value::uuid from json_array_elements_text($1::text::json))`, [
      JSON.stringify(ids),
      ...(schoolId === null ? [] : [schoolId]),
    ])
  },
  versionsOf: (line, schoolId, table, ids) =>
    line.rows(
      `select row_id, vv, units from sync.sync_row
       where school_id = $1 and table_name = $2 and row_id in (select value::uuid from json_array_elements_text($3::text::json))`,
      [schoolId, table, JSON.stringify(ids)],
    ),
  advance: (line, { schoolId, schema, digest, rows, history }) =>
    line.run(POSTGRES_ADVANCE, [schoolId, digest, schema, JSON.stringify(rows), JSON.stringify(history)]),
  inList: (column, jsonParameter) => sql`${column} in (select value::uuid from json_array_elements_text(${jsonParameter}::text::json))`,
  rowsAsText: (columns) => sql`json_agg(json_build_array(${listed(columns)}))::text`,
  contains: (column, text) => sql`strpos(${column}, ${text}) > 0`,
}
