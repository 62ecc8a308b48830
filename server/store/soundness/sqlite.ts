import { accessSync, constants, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type Database from 'better-sqlite3'
import { isReadOnly } from '../../disk-state.ts'
import { codeOf } from '../../error-code.ts'
import { appliedSqlite, standingOf } from '../migrate.ts'
import { LockedError, LogGoneError, openFile } from '../sqlite.file.ts'
import { DATABASE_FILE } from '../sqlite.ts'
import {
  type Ask,
  type CheckOptions,
  type Damage,
  NOTHING_WRITTEN,
  type Read,
  readContents,
  readLatest,
  type Slice,
  type Soundness,
  type Words,
} from './soundness.ts'

/** Reads a school's database, all of it unless `quick`, and changes nothing. The server may run meanwhile. */
export async function soundnessOfSqlite(folder: string, looking: CheckOptions): Promise<Soundness> {
  const path = join(folder, DATABASE_FILE)
  const sizes = ['', '-wal'].map((side) => statSync(path + side, { throwIfNoEntry: false })?.size ?? 0)
  const [size = 0, log = 0] = sizes
  if (size + log === 0) return { state: 'absent' }
  const refused = refusalOf(path)
  if (refused) return { state: 'refused', detail: refused }
  let connection: Database.Database | undefined
  try {
    connection = open(path)
    connection.pragma('query_only = ON')
    // One snapshot for all queries, while others go on writing.
    connection.exec('begin')
    return await read(connection, { size, log }, looking)
  } catch (error) {
    if (error instanceof LockedError) return { state: 'locked', detail: error.message }
    if (error instanceof LogGoneError) return { state: 'log gone', detail: error.message }
    if (!codeOf(error).startsWith('SQLITE_')) throw error
    return { state: isReadOnly(folder) ? 'read-only' : 'unreadable', detail: (error as Error).message }
  } finally {
    connection?.close()
  }
}

/** Opens a database to be read. Where its folder is not writable, SQLite can create no WAL, so the file is opened read-only. */
function open(path: string): Database.Database {
  const options = { fileMustExist: true, timeout: 10_000 }
  try {
    accessSync(dirname(path), constants.W_OK)
    return openFile(path, options)
  } catch (error) {
    if (error instanceof LockedError) throw error
    return openFile(path, { ...options, readonly: true })
  }
}

function refusalOf(path: string): string | null {
  try {
    accessSync(path, constants.R_OK)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

async function read(connection: Database.Database, sizes: Pick<Read, 'size' | 'log'>, { quick, tell }: CheckOptions): Promise<Soundness> {
  const torn = quick ? [] : tornPages(connection)
  const damage: Damage[] = torn.length > 0 ? [{ kind: 'pages', count: torn.length, detail: torn[0] ?? '' }] : []
  const applied = appliedSqlite(connection)
  if (applied.length === 0) return { state: 'no markbook', detail: 'it has no tables of Markbook' }
  const standing = standingOf(applied, 'sqlite')
  const ask: Ask = async (text) => connection.prepare(text).all() as Record<string, unknown>[]
  const slice: Slice = (work) => work(ask)
  const figure = (name: string) => Number(connection.pragma(name, { simple: true }))
  const unused = figure('freelist_count') * figure('page_size')
  const common = { state: 'read', ...sizes, standing, unused, isWhole: !quick, marks: null } as const
  if (quick || damage.length > 0 || standing !== 'current') {
    // A damaged file, or one of another version, may have no readable history.
    return { ...common, damage, newest: await readLatest(slice, WORDS).catch(() => NOTHING_WRITTEN) }
  }
  const orphans = orphansIn(connection)
  const contents = await readContents(slice, WORDS, tell)
  return { ...common, damage: [...orphans, ...contents.damage], newest: contents.newest }
}

/** SQLite's messages about invalid pages, at most 20 lines. */
function tornPages(connection: Database.Database): string[] {
  const pages = connection.pragma('integrity_check(20)') as { integrity_check: string }[]
  const lines = pages.flatMap(({ integrity_check }) => integrity_check.split('\n'))
  return lines.filter((line) => line !== 'ok' && !line.startsWith('***'))
}

/** Checks every page of a school's database, but not the meaning of rows. Returns the first message, or null where there is no damage. */
export function damageOfPages(folder: string): string | null {
  let connection: Database.Database | undefined
  try {
    connection = open(join(folder, DATABASE_FILE))
    connection.pragma('query_only = ON')
    return tornPages(connection)[0] ?? null
  } catch (error) {
    const code = codeOf(error)
    if (!code.startsWith('SQLITE_CORRUPT') && code !== 'SQLITE_NOTADB') throw error
    return (error as Error).message
  } finally {
    connection?.close()
  }
}

function orphansIn(connection: Database.Database): Damage[] {
  const orphans = connection.pragma('foreign_key_check') as { table: string; parent: string }[]
  return orphans[0] ? [{ kind: 'orphans', count: orphans.length, detail: `${orphans[0].table} without its ${orphans[0].parent}` }] : []
}

const WORDS: Words = {
  instant: (column) => column,
  placeOf: (table) => `"${table}"`,
  history: (school, from, to) =>
    `select id, at, actor_id, node_id, entity, row_id, near_id, action, changes, detail, seq, head from history
     where school_id = '${school}' and seq between ${from} and ${to} and node_id in (select id from node) and source_id is null`,
  latest: `select h.node_id as node, h.at, h.source_id as source from sync_feed f join history h on h.school_id = f.school_id and h.seq > f.seq - 20`,
}
