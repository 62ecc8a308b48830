import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { memoryFolder } from '../testing/memory-folder.ts'
import { quickCheckOfSqlite } from './soundness/quick-check.ts'
import {
  copyBytes,
  type DatabaseKey,
  holdKey,
  keyNameOf,
  LockedError,
  LogGoneError,
  letGoOfKey,
  makeEncrypted,
  openFile,
} from './sqlite.file.ts'
import { openSqlite } from './sqlite.ts'

let folder: string
let key: DatabaseKey
const file = () => join(folder, 'markbook.sqlite')
beforeEach(() => {
  folder = memoryFolder('markbook-file-')
  key = { name: randomBytes(8).toString('hex'), secret: randomBytes(32) }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('only one file of the program opens databases', () => {
  const server = join(import.meta.dirname, '..')
  const sources = (readdirSync(server, { recursive: true, encoding: 'utf8' }) as string[])
    .filter((name) => name.endsWith('.ts') && !/(?:\.test\.ts$|^(?:testing|tests|node_modules)[/\\])/.test(name))
    .map((name) => [name, readFileSync(join(server, name), 'utf8')] as const)
  const own = sources.filter(([, source]) => /^import (?!type\b).*from 'better-sqlite3'|\('better-sqlite3'\)/m.test(source))
  expect(own.map(([name]) => relative('.', name))).toEqual([join('store', 'sqlite.file.ts')])
})

describe('a database whose WAL was taken away', () => {
  /** The files that a killed server leaves, with a mark that is in the WAL alone. */
  function killed() {
    const { writer, close } = openSqlite(folder)
    writer.exec("create table pupil (name); insert into pupil values ('Saoirse Murphy')")
    const left = ['', '-wal', '-shm'].map((side) => [file() + side, readFileSync(file() + side)] as const)
    close()
    for (const [path, bytes] of left) writeFileSync(path, bytes)
  }
  const names = () => {
    const { reader, close } = openSqlite(folder)
    try {
      return reader.prepare('select name from pupil').pluck().all()
    } finally {
      close()
    }
  }

  test('is not opened by anything, so that what was in it can be put back', () => {
    killed()
    renameSync(`${file()}-wal`, `${file()}-moved`)
    expect(() => openFile(file())).toThrow(LogGoneError)
    expect(() => openFile(file(), { readonly: true })).toThrow(LogGoneError)
    expect(names).toThrow(/-wal, with the newest marks, was deleted or moved/)
    expect(quickCheckOfSqlite(folder)).toMatchObject({ state: 'damaged', error: expect.any(LogGoneError) })
    renameSync(`${file()}-moved`, `${file()}-wal`)
    expect(names()).toEqual(['Saoirse Murphy'])
  })

  test('a stopped or killed server leaves none of it', () => {
    killed()
    expect(names()).toEqual(['Saoirse Murphy'])
    expect(readdirSync(folder).filter((name) => name.startsWith('markbook.sqlite'))).toEqual(['markbook.sqlite'])
    expect(names()).toEqual(['Saoirse Murphy'])
  })
})

describe('an encrypted file', () => {
  test('names its key, opens with it, and has no plain text in the file or its WAL', () => {
    makeEncrypted(file(), key)
    expect(keyNameOf(file())).toBe(key.name)
    holdKey(key)
    const { writer, reader, close } = openSqlite(folder)
    writer.exec("create table pupil (name); insert into pupil values ('Saoirse Murphy')")
    expect(reader.prepare('select name from pupil').pluck().get()).toBe('Saoirse Murphy')
    const log = readFileSync(`${file()}-wal`)
    expect(log.length).toBeGreaterThan(4_096)
    expect(log.includes('Saoirse')).toBe(false)
    close()
    const bytes = readFileSync(file())
    expect(bytes.includes('Saoirse')).toBe(false)
    expect(bytes.includes('SQLite format')).toBe(false)
    expect(bytes.includes(key.secret)).toBe(false)
    expect(bytes.toString('latin1', 0, 8)).toBe('markbook')
  })

  test('cannot be opened without its key or with another one, and is unchanged then', () => {
    makeEncrypted(file(), key)
    const before = readFileSync(file())
    expect(() => openFile(file())).toThrow(LockedError)
    holdKey({ name: key.name, secret: randomBytes(32) })
    const connection = openFile(file())
    expect(() => connection.prepare('select count(*) from sqlite_master').get()).toThrow(/not a database/)
    connection.close()
    letGoOfKey(key.name)
    expect(() => openFile(file())).toThrow(LockedError)
    expect(readFileSync(file()).equals(before)).toBe(true)
  })
})

test.each([
  ['none', () => {}],
  ['an empty one', () => writeFileSync(file(), '')],
  ['a short one', () => writeFileSync(file(), 'markbook')],
  ['a plain one', () => openFile(file()).exec('create table a (b)').close()],
  ['noise', () => writeFileSync(file(), Buffer.alloc(5_000, 0xa5))],
])('a file that is not encrypted has no key: %s', (_, make) => {
  make()
  expect(keyNameOf(file())).toBeNull()
})

test('a file that replaced another under its name is read again', () => {
  openFile(file()).exec('create table a (b)').close()
  expect(keyNameOf(file())).toBeNull()
  rmSync(file())
  makeEncrypted(file(), key)
  expect(keyNameOf(file())).toBe(key.name)
})

test('reading the key name of an open file keeps its locks, so another process stays locked out', () => {
  const first = openFile(file())
  first.exec('create table a (b); pragma locking_mode = EXCLUSIVE; begin exclusive')
  expect(keyNameOf(file())).toBeNull()
  openFile(file(), { timeout: 0 }).close()
  copyBytes(file(), `${file()}-copy`)
  const other = `
    const connection = new (require('better-sqlite3'))(process.argv[1], { timeout: 0 })
    try { connection.prepare('select count(*) from a').get(); console.log('in') } catch (error) { console.log(error.code) }`
  expect(execFileSync(process.execPath, ['-e', other, file()], { encoding: 'utf8', cwd: import.meta.dirname }).trim()).toBe('SQLITE_BUSY')
  first.exec('commit')
  first.close()
})
