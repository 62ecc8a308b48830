import type { Connection } from './connection.ts'
import { postgresPlaceOf, quoted } from './dialect.texts.ts'

type FeedEntry = { table_name: string; row_id: string; seq: number; source_id: string | null }

type FeedSpan = { after: number; upTo: number; limit: number; notFrom?: readonly string[] }
type Tombstone = { table_name: string; row_id: string; seq: number; units: string }

/** How replication reads the feeds of schools. */
export type FeedReading = {
  /** Ids of the rows of a table where a rule between rows changed the merged value or kept a deleted row. */
  settledRows(connection: Connection, schoolId: string, table: string): Promise<string[]>
  /** Tables of a school that have such rows. */
  settledTables(connection: Connection, schoolId: string): Promise<string[]>
  /** The position of a school's feed; `seq` 0 where this node has never written the school. Deletions up to `floor` were forgotten. */
  feedOf(connection: Connection, schoolId: string): Promise<{ seq: number; head: string; floor: number }>
  /** Tombstones of a school up to a feed number, in order, after another; without rows that are kept because another row needs them. */
  tombstones(connection: Connection, schoolId: string, after: number, upTo: number, limit: number): Promise<Tombstone[]>
  /** Deletes these tombstones, and records that the feed is incomplete up to `floor`. */
  forgetTombstones(connection: Connection, schoolId: string, rows: readonly Tombstone[], floor: number): Promise<void>
  feedsOf(connection: Connection, schoolIds: readonly string[]): Promise<{ school_id: string; seq: number }[]>
  /** The entries of a school's feed after a number, up to another, in order, without those received from these nodes. */
  feedEntries(connection: Connection, schoolId: string, span: FeedSpan): Promise<FeedEntry[]>
  /** The number of a school's rows with versions. */
  countVersions(connection: Connection, schoolId: string): Promise<number>
  /** Ids of a table's rows with versions, in order, after one. */
  rowIdsAfter(connection: Connection, schoolId: string, table: string, after: string, limit: number): Promise<string[]>
  /** Ids of the rows of a table of people that belong to these users. */
  rowIdsOf(connection: Connection, table: string, userIds: readonly string[]): Promise<string[]>
  /** The users who have a membership in a school or teach there and, unless `applicants` is false, those with a join request. */
  peopleOf(connection: Connection, schoolId: string, whom?: { applicants: boolean }): Promise<string[]>
}

/** The parts of these statements that differ between the two databases. */
type Syntax = {
  /** Replaces each `?` by the parameter syntax of this database. */
  statement(text: string): string
  place(table: string): string
  /** SQL for the ids of a JSON array, and for the first three values of each array in one. */
  ids: string
  triples: string
  greatest: string
}

const sqlite: Syntax = {
  statement: (text) => text,
  place: quoted,
  ids: 'select value from json_each(?)',
  triples: 'select value ->> 0, value ->> 1, value ->> 2 from json_each(?)',
  greatest: 'max',
}

const postgres: Syntax = {
  statement: (text) => {
    let count = 0
    return text.replaceAll('?', () => `$${++count}`)
  },
  place: postgresPlaceOf,
  ids: 'select value::uuid from json_array_elements_text(?::text::json)',
  triples: 'select e ->> 0, (e ->> 1)::uuid, (e ->> 2)::bigint from json_array_elements(?::text::json) e',
  greatest: 'greatest',
}

/** Postgres returns large integers as text. */
const withNumber = <Row extends { seq: number }>(row: Row): Row => ({ ...row, seq: Number(row.seq) })

function feedReading({ statement, place, ids, triples, greatest }: Syntax): FeedReading {
  const [versions, feeds] = [place('sync_row'), place('sync_feed')]
  const query = <Row>(text: string) => {
    const written = statement(text)
    return (connection: Connection, ...params: unknown[]) => connection.rows<Row>(written, params)
  }
  const command = (text: string) => {
    const written = statement(text)
    return (connection: Connection, ...params: unknown[]) => connection.run(written, params)
  }
  const feedOf = query<{ seq: number; head: string; floor: number }>(`select seq, head, floor from ${feeds} where school_id = ?`)
  const tombstones = query<Tombstone>(
    `select table_name, row_id, seq, units from ${versions}
     where school_id = ? and deleted and not settled and seq > ? and seq <= ? order by seq, table_name, row_id limit ?`,
  )
  const forget = command(`delete from ${versions} where school_id = ? and deleted and (table_name, row_id, seq) in (${triples})`)
  const raiseFloor = command(`update ${feeds} set floor = ${greatest}(floor, ?) where school_id = ?`)
  const feedsOf = query<{ school_id: string; seq: number }>(`select school_id, seq from ${feeds} where school_id in (${ids})`)
  const feedEntries = query<FeedEntry>(
    `select table_name, row_id, seq, source_id from ${versions} where school_id = ? and seq > ? and seq <= ?
       and (source_id is null or source_id not in (${ids})) order by seq, table_name, row_id limit ?`,
  )
  const countVersions = query<{ count: number }>(`select count(*) as count from ${versions} where school_id = ?`)
  const rowIdsAfter = query<{ row_id: string }>(
    `select row_id from ${versions} where school_id = ? and table_name = ? and row_id > ? order by row_id limit ?`,
  )
  const members = `select user_id as id from ${place('school_management')} where school_id = ?
    union select user_profile_id from ${place('teacher_group_assignment')} where school_id = ?`
  const membersOf = query<{ id: string }>(members)
  const everybodyOf = query<{ id: string }>(`${members} union select user_id from ${place('school_join_request')} where school_id = ?`)
  const settledTables = query<{ table_name: string }>(`select distinct table_name from ${versions} where settled and school_id = ?`)
  const settledRows = query<{ row_id: string }>(`select row_id from ${versions} where settled and school_id = ? and table_name = ?`)
  return {
    feedOf: async (connection, schoolId) => {
      const [feed] = await feedOf(connection, schoolId)
      return feed ? { seq: Number(feed.seq), head: feed.head, floor: Number(feed.floor) } : { seq: 0, head: '', floor: 0 }
    },
    tombstones: async (connection, ...span) => (await tombstones(connection, ...span)).map(withNumber),
    forgetTombstones: async (connection, schoolId, rows, floor) => {
      await forget(connection, schoolId, JSON.stringify(rows.map(({ table_name, row_id, seq }) => [table_name, row_id, seq])))
      await raiseFloor(connection, floor, schoolId)
    },
    feedsOf: async (connection, schoolIds) => (await feedsOf(connection, JSON.stringify(schoolIds))).map(withNumber),
    feedEntries: async (connection, schoolId, { after, upTo, limit, notFrom = [] }) =>
      (await feedEntries(connection, schoolId, after, upTo, JSON.stringify(notFrom), limit)).map(withNumber),
    countVersions: async (connection, schoolId) => Number((await countVersions(connection, schoolId))[0]?.count ?? 0),
    rowIdsAfter: async (connection, ...span) => (await rowIdsAfter(connection, ...span)).map(({ row_id }) => row_id),
    rowIdsOf: async (connection, table, userIds) => {
      const text = statement(`select id from ${place(table)} where user_id in (${ids})`)
      return (await connection.rows<{ id: string }>(text, [JSON.stringify(userIds)])).map(({ id }) => id)
    },
    peopleOf: async (connection, schoolId, { applicants } = { applicants: true }) => {
      const people = applicants ? everybodyOf(connection, schoolId, schoolId, schoolId) : membersOf(connection, schoolId, schoolId)
      return (await people).map(({ id }) => id)
    },
    settledTables: async (connection, schoolId) => (await settledTables(connection, schoolId)).map(({ table_name }) => table_name),
    settledRows: async (connection, schoolId, table) => (await settledRows(connection, schoolId, table)).map(({ row_id }) => row_id),
  }
}

export const sqliteFeed = feedReading(sqlite)
export const postgresFeed = feedReading(postgres)
