import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { descriptions } from '@markbook/shared/tables/tables'

const LOCAL = new Set([
  'session',
  'account_notice',
  'otp_code',
  'attempt',
  'totp_enrolment',
  'second_factor',
  'passkey',
  'school_invitation',
  'school_invitation',
  'server_secret',
  'server_instance',
  'job',
  'sync_peer',
  'sync_invitation',
  'sync_held',
  'sync_refused',
  'sync_file',
  'sync_file_place',
  'audit_run',
])
const REPLICATED = new Set(Object.keys(descriptions))
const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
const isReplicated = (identifier: string) => [...REPLICATED].some((name) => name === identifier || camel(name) === identifier)

/** Patterns in a source file that write to a replicated table without the change tracker. `find` answers whether a match is such a write. */
const suspects: { what: string; pattern: RegExp; find?: (match: RegExpExecArray) => boolean }[] = [
  {
    what: 'a table handed to Drizzle to be written',
    pattern: /\.(?:insert|update|delete)\(\s*(?:\w+\.)*(\w+)\s*\)/g,
    find: ([, table = '']) => isReplicated(table) || table === 'sync_row' || table === 'sync_feed' || table === 'history',
  },
  { what: 'the database itself asked to write', pattern: /\b(?:db|line|connection|database)\s*\.\s*(?:insert|update|delete)\(/g },
  {
    what: 'tx.local used on another table than a local one',
    pattern: /\btx\.local\b(?:\s*\.(?:insert|update|delete)\(\s*(?:\w+\.)*(\w+))?/g,
    find: ([, table]) => table === undefined || !LOCAL.has(table),
  },
  // The dialect is given the connection to read feeds and versions, and to be told what comes; of its writing methods `store` alone is the
  // caller.
  {
    what: 'the connection',
    pattern:
      /(?<!\bdialect\.(?:feedOf|feedsOf|feedEntries|countVersions|versionsOf|rowIdsAfter|rowIdsOf|tombstones|peopleOf|awaitMore|hurry)\()\b(?:tx|context\.tx)\.connection\b/g,
  },
  { what: 'SQL text that writes', pattern: /\binsert into\b|\bdelete from\b|\bupdate\s+"?[\w.]+"?\s+set\b/gi },
  { what: 'a driver', pattern: /from '(?:better-sqlite3|postgres|drizzle-orm\/(?:better-sqlite3|postgres-js))'/g },
]

/** The writes in a source file that pass by the change tracker: a line each, empty where there are none. */
export const untrackedWrites = (source: string): string[] =>
  suspects.flatMap(({ what, pattern, find = () => true }) =>
    [...source.matchAll(pattern)].filter(find).map(([text]) => `${what}: ${text.replace(/\s+/g, ' ')}`),
  )

/**
 * Every program file of the server outside the store, in which `store/replica` writes what other nodes wrote: neither tests nor what only
 * tests use.
 */
export function programFiles(folder: string): { name: string; source: string }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ name: relative(folder, path), source: readFileSync(path, 'utf8') }))
    .filter(({ name }) => !/^(?:store|tests|testing|node_modules|dist)\//.test(name))
}
