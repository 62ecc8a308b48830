import { closeSync, copyFileSync, mkdtempSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { school } from '../../testing/school.ts'
import { quickCheckOfSqlite } from './quick-check.ts'
import { damageOfPages } from './sqlite.ts'
import { watchPages } from './watch.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'markbook-quick-check-'))
  file = join(folder, 'markbook.sqlite')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** The database of the story, closed. */
async function story() {
  const st = await school({ database: 'sqlite' })
  await st.services.store.close()
  copyFileSync(join(st.database.folder, 'markbook.sqlite'), file)
  await st.close()
}
const write = (at: number, bytes: Buffer) => {
  const opened = openSync(file, 'r+')
  writeSync(opened, bytes, 0, bytes.length, at)
  closeSync(opened)
}

describe('a quick check of a database', () => {
  test('a missing file, an empty one, a sound one', async () => {
    expect(quickCheckOfSqlite(folder)).toEqual({ state: 'missing' })
    writeFileSync(file, '')
    expect(quickCheckOfSqlite(folder)).toEqual({ state: 'empty' })
    await story()
    const before = readFileSync(file)
    expect(quickCheckOfSqlite(folder)).toEqual({ state: 'there' })
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  test.each([
    ['noise', () => writeFileSync(file, Buffer.alloc(20_000, 0xa5))],
    ['its header written over', () => write(0, Buffer.alloc(100, 0xff))],
    ['its catalogue written over', () => write(100, Buffer.alloc(3_000, 0xff))],
    ['the first page of a table written over', () => write(4_096, Buffer.alloc(4_096 * 30, 0xff))],
    ['cut off in the middle', () => truncateSync(file, 4_096 * 20)],
  ])('%s is damage', async (_, damage) => {
    await story()
    damage()
    expect(quickCheckOfSqlite(folder)).toMatchObject({ state: 'damaged', error: expect.any(Error) })
  })

  test('damage in a later page is found only by the full check', async () => {
    await story()
    expect(damageOfPages(folder)).toBeNull()
    for (let page = 12; page < 40; page += 1) write(page * 4_096, Buffer.from([0xff]))
    expect(damageOfPages(folder)).toEqual(expect.any(String))
  })
})

describe('reading every page after the start', () => {
  const lines: [level: string, message: string][] = []
  const says = (level: string) => (message: string) => void lines.push([level, message])
  const log = { info: says('info'), warn: says('warn'), error: says('error') } as never
  afterEach(() => void lines.splice(0))

  async function watched(script: string) {
    const registry = new Registry()
    const { stop } = watchPages({ dataDir: folder, log, registry, afterStart: 1, program: ['-e', script, '--'] })
    await vi.waitFor(() => expect(lines).not.toEqual([]), { timeout: 10_000 })
    await stop()
    return registry.metrics()
  }

  test('reports damage as an error in the log and in the metrics', async () => {
    const metrics = await watched('console.log(process.argv.slice(1).join(" ")); process.exit(3)')
    expect(lines).toEqual([['error', `doctor --pages --data-dir ${folder}`]])
    expect(metrics).toMatch(/^markbook_database_damaged 1$/m)
  })

  test('logs no warning without damage, and a warning where it could not be read', async () => {
    expect(await watched('console.log("sound")')).toMatch(/^markbook_database_damaged 0$/m)
    expect(lines).toEqual([['info', 'sound']])
    lines.splice(0)
    expect(await watched('console.log("busy"); process.exit(1)')).toMatch(/^markbook_database_damaged 0$/m)
    expect(lines).toEqual([['warn', 'the database could not be read whole: busy']])
  })
})
