import { accessSync, constants, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { appliedSqlite, standingOf } from '../migrate.ts'
import { DATABASE_FILE } from '../sqlite.ts'
import {
  type Ask,
  type Damage,
  damageOfContents,
  NOTHING_WRITTEN,
  newestEntries,
  type Read,
  type Soundness,
  type Words,
} from './soundness.ts'

/** Reads a school's database whole and changes nothing. The server may go on working. */
export async function soundnessOfSqlite(folder: string): Promise<Soundness> {
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
    // One view of everything, while others go on writing.
    connection.exec('begin')
    return await read(connection, { size, log })
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string }
    if (!code.startsWith('SQLITE_')) throw error
    return { state: 'unreadable', detail: message }
  } finally {
    connection?.close()
  }
}

/** Without leave to write there can be no log beside the file, and SQLite reads none. */
function open(path: string): Database.Database {
  const options = { fileMustExist: true, timeout: 10_000 }
  try {
    accessSync(dirname(path), constants.W_OK)
    return new Database(path, options)
  } catch {
    return new Database(path, { ...options, readonly: true })
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

async function read(connection: Database.Database, sizes: Pick<Read, 'size' | 'log'>): Promise<Soundness> {
  const torn = tornPages(connection)
  const damage: Damage[] = torn.length > 0 ? [{ kind: 'pages', count: torn.length, detail: torn[0] ?? '' }] : []
  const applied = appliedSqlite(connection)
  if (applied.length === 0) return { state: 'no markbook', detail: 'it has no tables of Markbook' }
  const standing = standingOf(applied, 'sqlite')
  const ask: Ask = async (text) => connection.prepare(text).all() as Record<string, unknown>[]
  const figure = (name: string) => Number(connection.pragma(name, { simple: true }))
  const unused = figure('freelist_count') * figure('page_size')
  if (damage.length === 0 && standing === 'current') damage.push(...(await contents(connection, ask)))
  // A damaged file, or one of another version, may have no history that can be read.
  const newest = await newestEntries(ask, WORDS).catch(() => NOTHING_WRITTEN)
  return { state: 'read', ...sizes, standing, damage, newest, unused }
}

/** What SQLite says of pages that do not hold what they should, at most 20 lines. */
function tornPages(connection: Database.Database): string[] {
  const pages = connection.pragma('integrity_check(20)') as { integrity_check: string }[]
  const lines = pages.flatMap(({ integrity_check }) => integrity_check.split('\n'))
  return lines.filter((line) => line !== 'ok' && !line.startsWith('***'))
}

/** Reads every page of a school's database and nothing of what it means; answers the first line of what is wrong, null where all is well. */
export function damageOfPages(folder: string): string | null {
  let connection: Database.Database | undefined
  try {
    connection = open(join(folder, DATABASE_FILE))
    connection.pragma('query_only = ON')
    return tornPages(connection)[0] ?? null
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string }
    if (!code.startsWith('SQLITE_CORRUPT') && code !== 'SQLITE_NOTADB') throw error
    return message
  } finally {
    connection?.close()
  }
}

async function contents(connection: Database.Database, ask: Ask): Promise<Damage[]> {
  const orphans = connection.pragma('foreign_key_check') as { table: string; parent: string }[]
  const damage: Damage[] = []
  if (orphans[0]) damage.push({ kind: 'orphans', count: orphans.length, detail: `${orphans[0].table} without its ${orphans[0].parent}` })
  return [...damage, ...(await damageOfContents(ask, WORDS, 'select school_id, seq, head from sync_feed'))]
}

const WORDS: Words = {
  instant: (column) => column,
  placeOf: (table) => `"${table}"`,
  history: (school, from, to) =>
    `select id, at, actor_id, node_id, entity, row_id, near_id, action, changes, detail, seq, head from history
     where school_id = '${school}' and seq between ${from} and ${to} and node_id in (select id from node) and source_id is null`,
}
