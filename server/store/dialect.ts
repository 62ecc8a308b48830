import { postgresTables } from '@markbook/shared/tables/postgres'
import { sqliteTables } from '@markbook/shared/tables/sqlite'
import type { Tables } from '@markbook/shared/tables/tables'
import { type Column, getTableName, type SQL, sql, type Table } from 'drizzle-orm'
import { encoded } from './column-encoders.ts'
import type { Connection } from './connection.ts'
import { type FeedReading, postgresFeed, sqliteFeed } from './dialect.feed.ts'
import type { FeedWrite } from './dialect.rows.ts'
import { columnNames, endingOf, memo, postgresPlaceOf, quoted, SYNC_ROW_UPDATE } from './dialect.texts.ts'
import { LOG_PAGES, sqliteAdvance, sqliteUpdate, sqliteWrite } from './sqlite.write.ts'

/** Everything that differs between the two databases. No other code depends on which database it is. */
export type Dialect = FeedReading & {
  readonly name: 'sqlite' | 'postgres'
  readonly tables: Tables
  /** A failed statement leaves the transaction usable. */
  readonly failsAlone: boolean
  /** Only one transaction writes at a time, so a row that was not found stays absent. */
  readonly writesAlone: boolean
  /** The planner uses the values of parameters, so constants are better written into the text. */
  readonly plansByValue: boolean
  /** Appended to a select in a writing transaction, to lock the rows until the commit. */
  lockOf(table: string): string
  /** Writes rows of one table in few statements; `replace` overwrites rows with the same key. */
  writeRows(
    connection: Connection,
    table: Table,
    rows: Iterable<Record<string, unknown>>,
    how: 'insert' | 'replace' | 'ignore',
  ): Promise<void>
  /** Locks rows by id, in the order given, until the commit. Returns the ids that exist. */
  lockRows(connection: Connection, table: Table, schoolId: string | null, ids: readonly string[]): Promise<string[]>
  /** Gives a unique text column of these rows a temporary value that no other row has. */
  parkRows(connection: Connection, table: Table, column: string, schoolId: string, ids: readonly string[]): Promise<void>
  /**
   * Writes these columns of existing rows, and no others, since a database rewrites every index over a written column even if the value is
   * equal. On Postgres it is an upsert, because a violated policy is an error there, while an update just skips the row.
   */
  updateRows(connection: Connection, table: Table, rows: readonly Record<string, unknown>[], columns: readonly string[]): Promise<void>
  /** Whether much more is about to be written: SQLite then runs fewer checkpoints of its WAL. */
  awaitMore(connection: Connection, isMuch: boolean): Promise<void>
  deleteRows(connection: Connection, table: Table, schoolId: string | null, ids: readonly string[]): Promise<void>
  /** The ids among these that are rows of the table. */
  idsIn(connection: Connection, table: Table, schoolId: string | null, ids: readonly string[]): Promise<string[]>
  /** The stored versions of these rows. */
  versionsOf(connection: Connection, schoolId: string, table: string, ids: readonly string[]): Promise<StoredVersions[]>
  /** The versions of rows that are about to be written, and for each whether its school has an open conflict. */
  versionsToWrite(connection: Connection, schoolId: string, table: string, ids: readonly string[]): Promise<VersionsToWrite[]>
  /** Advances the school's feed and writes everything that carries its number; the last statement of a transaction. */
  advance(connection: Connection, feed: FeedWrite): Promise<void>
  /**
   * Commits this transaction without waiting for the disk, so that a crash may lose it: only for data that is reported to no person and no
   * node. On SQLite it has no effect.
   */
  hurry(connection: Connection): Promise<void>
  /** `column in (the JSON array in this parameter)`. */
  inList(column: Column, jsonParameter: unknown): SQL<boolean>
  /**
   * A sort expression for a list. SQLite must not use an index for this order: it would read every row of the school in index order, where
   * it could find the rows of the list and sort them.
   */
  sorted(column: Column): SQL
  /**
   * A column of a group's rows as the text of one JSON array: building an object for every row is most of the cost of reading many
   * (docs/design/store.md). Columns of one query are in the same order. A flag is 0 or 1 on SQLite, false or true on Postgres.
   */
  columnAsText(column: Column): SQL<string>
  /** Whether the folded column contains the text literally; wildcards have no meaning. */
  contains(searched: Column | SQL, text: unknown): SQL<boolean>
}

export type StoredVersions = {
  row_id: string
  vv: string
  units: string
  schema: number
  extra: string | null
  source_id: string | null
  settled: boolean | 0 | 1
  /** The rowid on SQLite, valid until the transaction ends; null for a row that the transaction is about to insert. */
  place?: number | null | undefined
}

type VersionsToWrite = StoredVersions & { any_open: boolean | 0 | 1 }

const STORED = 'row_id, vv, units, schema, extra, source_id, settled'

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  failsAlone: true,
  writesAlone: true,
  plansByValue: true,
  tables: sqliteTables,
  lockOf: () => '',
  lockRows: async (_line, _table, _schoolId, ids) => [...ids],
  parkRows: (connection, table, column, schoolId, ids) =>
    connection.run(
      `update ${quoted(getTableName(table))} set ${quoted(column)} = '~' || id where school_id = ? and id in (select value from json_each(?))`,
      [schoolId, JSON.stringify(ids)],
    ),
  writeRows: sqliteWrite,
  updateRows: sqliteUpdate,
  awaitMore: async (connection, isMuch) => {
    await connection.rows(`pragma wal_autocheckpoint = ${isMuch ? LOG_PAGES.most : LOG_PAGES.usual}`, [])
  },
  deleteRows: async (connection, table, schoolId, ids) => {
    const scope = schoolId === null ? '' : 'school_id = ? and '
    await connection.run(`delete from ${quoted(getTableName(table))} where ${scope}id in (select value from json_each(?))`, [
      ...(schoolId === null ? [] : [schoolId]),
      JSON.stringify(ids),
    ])
  },
  idsIn: async (connection, table, schoolId, ids) => {
    const scope = schoolId === null ? '' : 'school_id = ? and '
    const text = `select id from ${quoted(getTableName(table))} where ${scope}id in (select value from json_each(?))`
    const rows = await connection.rows<{ id: string }>(text, [...(schoolId === null ? [] : [schoolId]), JSON.stringify(ids)])
    return rows.map(({ id }) => id)
  },
  versionsOf: (connection, schoolId, table, ids) =>
    connection.rows(
      `select ${STORED}, rowid as place from sync_row where school_id = ? and table_name = ? and row_id in (select value from json_each(?))`,
      [schoolId, table, JSON.stringify(ids)],
    ),
  versionsToWrite: (connection, schoolId, table, ids) =>
    connection.rows(
      `select ${STORED}, rowid as place, exists (select 1 from sync_conflict where school_id = ? and status = 'open') as any_open
       from sync_row where school_id = ? and table_name = ? and row_id in (select value from json_each(?))`,
      [schoolId, schoolId, table, JSON.stringify(ids)],
    ),
  advance: sqliteAdvance,
  hurry: async () => {},
  ...sqliteFeed,
  inList: (column, jsonParameter) => sql`${column} in (select value from json_each(${jsonParameter}))`,
  sorted: (column) => sql`+${column}`,
  columnAsText: (column) => sql`json_group_array(${column})`,
  contains: (column, text) => sql`instr(${column}, ${text}) > 0`,
}

const place = (table: Table) => postgresPlaceOf(getTableName(table))

/** One parameter for any number of rows, so that the text, and with it the prepared statement, is always the same. */
const postgresInsert = memo((table: Table, how) => {
  const names = columnNames(table).map(quoted)
  const text = `insert into ${place(table)} (${names}) select ${names} from json_populate_recordset(null::${place(table)}, $1::text::json)`
  return text + endingOf(table, how)
})

const POSTGRES_ADVANCE = `
  with feed as (
    insert into sync.sync_feed as f (school_id, seq, head)
    values ($1, 1, case when $2 = '' then '' else encode(sha256(convert_to($2, 'UTF8')), 'hex') end)
    on conflict (school_id) do update
    set seq = f.seq + 1, head = case when $2 = '' then f.head else encode(sha256(convert_to(f.head || $2, 'UTF8')), 'hex') end
    returning seq, head
  ), stamped as (
    insert into sync.sync_row (school_id, table_name, row_id, seq, vv, units, deleted, schema, extra, source_id, settled)
    select $1, r.table_name, r.row_id, feed.seq, replace(r.vv, '"#"', feed.seq::text), replace(r.units, '"#"', feed.seq::text), r.deleted, r.schema,
      r.extra, r.source_id, r.settled
    from feed, json_to_recordset($3::text::json)
      as r(table_name text, row_id uuid, vv text, units text, deleted boolean, schema int, extra text, source_id uuid, settled boolean)
    ${SYNC_ROW_UPDATE}
  )
  insert into sync.history
    (id, school_id, seq, node_seq, at, actor_id, node_id, entity, row_id, near_id, action, changes, detail, head, proof, source_id)
  select h.id, $1, feed.seq, coalesce(h.node_seq, feed.seq), h.at, h.actor_id, h.node_id, h.entity, h.row_id, h.near_id, h.action, h.changes,
    h.detail, coalesce(h.head, feed.head), h.proof, h.source_id
  from feed, json_to_recordset($4::text::json)
    as h(id uuid, node_seq bigint, head text, at timestamptz, actor_id uuid, node_id uuid, entity text, row_id uuid, near_id uuid,
      action text, changes text, detail text, proof text, source_id uuid)
  on conflict do nothing`

/** An array rather than a subselect to join with: under row-level security Postgres would read every row of the school before comparing. */
const IS_ANY_OF_FIRST = '= any (array(select value::uuid from json_array_elements_text($1::text::json)))'

/**
 * One index look-up for each id, in their order. The plan of a comparison with a list is made once for a connection; made while a table
 * was empty, it reads the whole table for every page of a first copy (docs/design/store.md). The `limit` forces the look-ups: without it
 * the planner makes a join and reads every row of the school for one mark.
 */
const byId = (look: string, lock = '') =>
  `select found.* from json_array_elements_text($1::text::json) as wanted(id) cross join lateral (${look} limit 1${lock}) as found`

async function idsFound(
  connection: Connection,
  table: Table,
  schoolId: string | null,
  ids: readonly string[],
  lock: string,
): Promise<string[]> {
  const scope = schoolId === null ? '' : 'school_id = $2 and '
  const text = byId(`select id from ${place(table)} where ${scope}id = wanted.id::uuid`, lock)
  const rows = await connection.rows<{ id: string }>(text, [JSON.stringify(ids), ...(schoolId === null ? [] : [schoolId])])
  return rows.map(({ id }) => id)
}

export const postgresDialect: Dialect = {
  name: 'postgres',
  failsAlone: false,
  writesAlone: false,
  plansByValue: false,
  tables: postgresTables as unknown as Tables,
  lockOf: (table) => ` for no key update of ${quoted(table)}`,
  parkRows: (connection, table, column, schoolId, ids) =>
    connection.run(`update ${place(table)} set ${quoted(column)} = '~' || id where school_id = $2 and id ${IS_ANY_OF_FIRST}`, [
      JSON.stringify(ids),
      schoolId,
    ]),
  lockRows: (connection, table, schoolId, ids) => idsFound(connection, table, schoolId, ids, ' for no key update'),
  writeRows: async (connection, table, rows, how) => {
    const all = Array.from(rows, (row) => encoded(table, row))
    if (all.length > 0) await connection.run(postgresInsert(table, how), [JSON.stringify(all)])
  },
  awaitMore: async () => {},
  updateRows: async (connection, table, rows, columns) => {
    // Whole rows: an upsert needs every column that is not nullable.
    const all = rows.map((row) => encoded(table, row))
    if (all.length > 0) await connection.run(postgresInsert(table, columns.join(',')), [JSON.stringify(all)])
  },
  deleteRows: async (connection, table, schoolId, ids) => {
    const scope = schoolId === null ? '' : 'school_id = $2 and '
    await connection.run(`delete from ${place(table)} where ${scope}id ${IS_ANY_OF_FIRST}`, [
      JSON.stringify(ids),
      ...(schoolId === null ? [] : [schoolId]),
    ])
  },
  idsIn: (connection, table, schoolId, ids) => idsFound(connection, table, schoolId, ids, ''),
  versionsOf: (connection, schoolId, table, ids) =>
    connection.rows(byId(`select ${STORED} from sync.sync_row where school_id = $2 and table_name = $3 and row_id = wanted.id::uuid`), [
      JSON.stringify(ids),
      schoolId,
      table,
    ]),
  versionsToWrite: (connection, schoolId, table, ids) =>
    connection.rows(
      byId(
        `select ${STORED}, exists (select 1 from sync.sync_conflict where school_id = $2 and status = 'open') as any_open
         from sync.sync_row where school_id = $2 and table_name = $3 and row_id = wanted.id::uuid`,
      ),
      [JSON.stringify(ids), schoolId, table],
    ),
  advance: (connection, { schoolId, digest, rows, history }) =>
    connection.run(POSTGRES_ADVANCE, [schoolId, digest, JSON.stringify(rows), JSON.stringify(history)]),
  hurry: (connection) => connection.run("select set_config('synchronous_commit', 'off', true)", []),
  ...postgresFeed,
  inList: (column, jsonParameter) =>
    sql`${column} = any (array(select value::uuid from json_array_elements_text(${jsonParameter}::text::json)))`,
  sorted: (column) => sql`${column}`,
  columnAsText: (column) => sql`json_agg(${column})::text`,
  contains: (column, text) => sql`strpos(${column}, ${text}) > 0`,
}
