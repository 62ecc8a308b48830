import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { systemClock } from '@markbook/shared/clock'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { diskStorage } from './disk.ts'
import { readAll } from './storage.suite.ts'

/** Stores objects endlessly, new ones and over old ones, and prints each one that was stored. */
const WRITER = `
import { randomBytes, createHash } from 'node:crypto'
import { diskStorage } from ${JSON.stringify(join(import.meta.dirname, 'disk.ts'))}
const storage = diskStorage({ folder: process.argv[2], clock: { now: () => Date.now() }, floor: 0 })
for (let count = 0; ; count += 1) {
  const content = randomBytes(20_000 + (count % 7) * 30_000)
  const say = (path) => process.stdout.write(path + ' ' + createHash('sha256').update(content).digest('hex') + '\\n')
  const name = process.argv[3] + '-' + count
  await Promise.all([
    storage.put('report-books', 'new/' + name, content, { contentType: 'application/pdf' }).then(() => say('new/' + name)),
    storage.put('report-books', 'over/one', content, { contentType: 'image/png', overwrite: true }).then(() => say('over/one')),
  ])
}
`

let folder: string
let writer: ChildProcess | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'markbook-kill-'))
})
afterEach(() => {
  writer?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test('killed at any moment: stored objects are complete, none is partial, and the sweep leaves nothing else', async () => {
  const script = join(folder, 'writer.mts')
  writeFileSync(script, WRITER)
  const files = join(folder, 'files')
  const said = new Map<string, string>()
  for (let round = 0; round < 6; round += 1) {
    const child = spawn(process.execPath, ['--import', 'tsx', script, files, String(round)], { stdio: ['ignore', 'pipe', 'inherit'] })
    writer = child
    let text = ''
    const begun = new Promise<void>((resolve, reject) => {
      child.once('exit', () => reject(new Error('the writer ended by itself')))
      child.stdout.on('data', (part) => {
        text += part
        resolve()
      })
    })
    await begun
    await setTimeout(20 + round * 37)
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
    for (const line of text.split('\n').slice(0, -1)) {
      const [path = '', hash = ''] = line.split(' ')
      said.set(path, hash)
    }
    const storage = diskStorage({ folder: files, clock: systemClock, floor: 0 })
    const objects = await storage.list('report-books', { prefix: '', limit: 100_000 })
    for (const { path, etag } of objects) {
      const opened = await storage.open('report-books', path)
      expect(sha256(await readAll(opened?.body ?? []))).toBe(etag)
      // An object that was being overwritten may be newer than the last printed one.
      if (path !== 'over/one' && said.has(path)) expect(etag).toBe(said.get(path))
    }
    const there = new Set(objects.map(({ path }) => path))
    expect([...said.keys()].filter((path) => !there.has(path))).toEqual([])
    await storage.sweep(Date.now() + 60_000)
    expect(await storage.list('report-books', { prefix: '', limit: 100_000 })).toEqual(objects)
  }
  expect(said.size).toBeGreaterThan(12)
})
