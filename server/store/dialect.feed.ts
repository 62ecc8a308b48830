import type { Line } from './line.ts'

export type FeedEntry = { table_name: string; row_id: string; seq: number; source_id: string | null }

export type FeedSpan = { after: number; upTo: number; limit: number; notFrom?: readonly string[] }
export type Tombstone = { table_name: string; row_id: string; seq: number; units: string }

/** How replication reads the feeds of schools, in the words of each database. */
export type FeedReading = {
  /** Ids of the rows of a table where something else stands than was claimed, or that stay though deleted. */
  settledRows(line: Line, schoolId: string, table: string): Promise<string[]>
  /** Tables of a school that have such rows. */
  settledTables(line: Line, schoolId: string): Promise<string[]>
  /** Where a school's feed stands; number 0 for one that this node has never written. Deletions up to `floor` were forgotten. */
  feedOf(line: Line, schoolId: string): Promise<{ seq: number; head: string; floor: number }>
  /** Deleted rows of a school with numbers up to one, in order, after another; not those that stay for something that lives. */
  tombstones(line: Line, schoolId: string, after: number, upTo: number, limit: number): Promise<Tombstone[]>
  /** Forgets that these rows were deleted, and that numbers up to `floor` are not all there any more. */
  forgetTombstones(line: Line, schoolId: string, rows: readonly Tombstone[], floor: number): Promise<void>
  feedsOf(line: Line, schoolIds: readonly string[]): Promise<{ school_id: string; seq: number }[]>
  /** What the feed of a school has after a number, up to another, in order, but for what came from these nodes. */
  feedEntries(line: Line, schoolId: string, span: FeedSpan): Promise<FeedEntry[]>
  /** How many rows of a school have versions. */
  countVersions(line: Line, schoolId: string): Promise<number>
  /** Ids of the rows of a table that have versions, in order, after one. */
  rowIdsAfter(line: Line, schoolId: string, table: string, after: string, limit: number): Promise<string[]>
  /** Ids of the rows of a table of people that belong to these users. */
  rowIdsOf(line: Line, table: string, userIds: readonly string[]): Promise<string[]>
  /** Everybody who belongs to a school, asked to, or teaches there. */
  /** Those with a place in the school and, unless it is said that they are not wanted, those who have asked for one. */
  peopleOf(line: Line, schoolId: string, whom?: { applicants: boolean }): Promise<string[]>
}

const quoted = (name: string) => `"${name}"`

export const sqliteFeed: FeedReading = {
  feedOf: async (line, schoolId) =>
    (
      await line.rows<{ seq: number; head: string; floor: number }>('select seq, head, floor from sync_feed where school_id = ?', [
        schoolId,
      ])
    )[0] ?? {
      seq: 0,
      head: '',
      floor: 0,
    },
  tombstones: (line, schoolId, after, upTo, limit) =>
    line.rows(
      'select table_name, row_id, seq, units from sync_row where school_id = ? and deleted and not settled and seq > ? and seq <= ? order by seq, table_name, row_id limit ?',
      [schoolId, after, upTo, limit],
    ),
  forgetTombstones: async (line, schoolId, rows, floor) => {
    await line.run(
      `delete from sync_row where school_id = ? and deleted and (table_name, row_id, seq) in
         (select value ->> 0, value ->> 1, value ->> 2 from json_each(?))`,
      [schoolId, JSON.stringify(rows.map(({ table_name, row_id, seq }) => [table_name, row_id, seq]))],
    )
    await line.run('update sync_feed set floor = max(floor, ?) where school_id = ?', [floor, schoolId])
  },
  feedsOf: (line, schoolIds) =>
    line.rows('select school_id, seq from sync_feed where school_id in (select value from json_each(?))', [JSON.stringify(schoolIds)]),
  feedEntries: (line, schoolId, { after, upTo, limit, notFrom = [] }) =>
    line.rows(
      `select table_name, row_id, seq, source_id from sync_row where school_id = ? and seq > ? and seq <= ?
         and (source_id is null or source_id not in (select value from json_each(?))) order by seq, table_name, row_id limit ?`,
      [schoolId, after, upTo, JSON.stringify(notFrom), limit],
    ),
  countVersions: async (line, schoolId) =>
    (await line.rows<{ count: number }>('select count(*) as count from sync_row where school_id = ?', [schoolId]))[0]?.count ?? 0,
  rowIdsAfter: async (line, schoolId, table, after, limit) =>
    (
      await line.rows<{ row_id: string }>(
        'select row_id from sync_row where school_id = ? and table_name = ? and row_id > ? order by row_id limit ?',
        [schoolId, table, after, limit],
      )
    ).map(({ row_id }) => row_id),
  rowIdsOf: async (line, table, userIds) =>
    (
      await line.rows<{ id: string }>(`select id from ${quoted(table)} where user_id in (select value from json_each(?))`, [
        JSON.stringify(userIds),
      ])
    ).map(({ id }) => id),
  peopleOf: async (line, schoolId, { applicants } = { applicants: true }) =>
    (
      await line.rows<{ id: string }>(
        `select user_id as id from school_management where school_id = ? union select user_profile_id from teacher_group_assignment
         where school_id = ?${applicants ? ' union select user_id from school_join_request where school_id = ?' : ''}`,
        [schoolId, schoolId, ...(applicants ? [schoolId] : [])],
      )
    ).map(({ id }) => id),
  settledTables: async (line, schoolId) =>
    (await line.rows<{ table_name: string }>('select distinct table_name from sync_row where settled and school_id = ?', [schoolId])).map(
      ({ table_name }) => table_name,
    ),
  settledRows: async (line, schoolId, table) =>
    (
      await line.rows<{ row_id: string }>('select row_id from sync_row where settled and school_id = ? and table_name = ?', [
        schoolId,
        table,
      ])
    ).map(({ row_id }) => row_id),
}

export const postgresFeed: FeedReading = {
  feedOf: async (line, schoolId) => {
    const [feed] = await line.rows<{ seq: string; head: string; floor: string }>(
      'select seq, head, floor from sync.sync_feed where school_id = $1',
      [schoolId],
    )
    return feed ? { seq: Number(feed.seq), head: feed.head, floor: Number(feed.floor) } : { seq: 0, head: '', floor: 0 }
  },
  tombstones: async (line, schoolId, after, upTo, limit) =>
    (
      await line.rows<Tombstone>(
        'select table_name, row_id, seq, units from sync.sync_row where school_id = $1 and deleted and not settled and seq > $2 and seq <= $3 order by seq, table_name, row_id limit $4',
        [schoolId, after, upTo, limit],
      )
    ).map((each) => ({ ...each, seq: Number(each.seq) })),
  forgetTombstones: async (line, schoolId, rows, floor) => {
    await line.run(
      `delete from sync.sync_row r using json_array_elements($2::text::json) e
        where r.school_id = $1 and r.deleted and r.table_name = e ->> 0 and r.row_id = (e ->> 1)::uuid and r.seq = (e ->> 2)::bigint`,
      [schoolId, JSON.stringify(rows.map(({ table_name, row_id, seq }) => [table_name, row_id, seq]))],
    )
    await line.run('update sync.sync_feed set floor = greatest(floor, $1::bigint) where school_id = $2', [floor, schoolId])
  },
  feedsOf: async (line, schoolIds) =>
    (
      await line.rows<{ school_id: string; seq: string }>(
        'select school_id, seq from sync.sync_feed where school_id in (select value::uuid from json_array_elements_text($1::text::json))',
        [JSON.stringify(schoolIds)],
      )
    ).map(({ school_id, seq }) => ({ school_id, seq: Number(seq) })),
  feedEntries: async (line, schoolId, { after, upTo, limit, notFrom = [] }) =>
    (
      await line.rows<FeedEntry>(
        `select table_name, row_id, seq, source_id from sync.sync_row where school_id = $1 and seq > $2 and seq <= $3
           and (source_id is null or source_id not in (select value::uuid from json_array_elements_text($4::text::json)))
         order by seq, table_name, row_id limit $5`,
        [schoolId, after, upTo, JSON.stringify(notFrom), limit],
      )
    ).map((entry) => ({ ...entry, seq: Number(entry.seq) })),
  countVersions: async (line, schoolId) =>
    Number(
      (await line.rows<{ count: string }>('select count(*) as count from sync.sync_row where school_id = $1', [schoolId]))[0]?.count ?? 0,
    ),
  rowIdsAfter: async (line, schoolId, table, after, limit) =>
    (
      await line.rows<{ row_id: string }>(
        'select row_id from sync.sync_row where school_id = $1 and table_name = $2 and row_id > $3 order by row_id limit $4',
        [schoolId, table, after, limit],
      )
    ).map(({ row_id }) => row_id),
  rowIdsOf: async (line, table, userIds) =>
    (
      await line.rows<{ id: string }>(
        `select id from public.${quoted(table)} where user_id in (select value::uuid from json_array_elements_text($1::text::json))`,
        [JSON.stringify(userIds)],
      )
    ).map(({ id }) => id),
  peopleOf: async (line, schoolId, { applicants } = { applicants: true }) =>
    (
      await line.rows<{ id: string }>(
        `select user_id as id from public.school_management where school_id = $1 union select user_profile_id from
         staff.teacher_group_assignment where school_id = $1${applicants ? ' union select user_id from public.school_join_request where school_id = $1' : ''}`,
        [schoolId],
      )
    ).map(({ id }) => id),
  settledTables: async (line, schoolId) =>
    (
      await line.rows<{ table_name: string }>('select distinct table_name from sync.sync_row where settled and school_id = $1', [schoolId])
    ).map(({ table_name }) => table_name),
  settledRows: async (line, schoolId, table) =>
    (
      await line.rows<{ row_id: string }>('select row_id from sync.sync_row where settled and school_id = $1 and table_name = $2', [
        schoolId,
        table,
      ])
    ).map(({ row_id }) => row_id),
}
