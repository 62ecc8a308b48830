import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { testClock } from '../../testing/clock.ts'
import { nameOf } from './manifest.ts'
import { scheduleBackups } from './schedule.ts'

let folder: string
let lines: [level: string, fields: object, message: string][]
let stop: (() => Promise<void>) | undefined
const clock = testClock()
const databaseId = '01920000-0000-7000-8000-000000000001'
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'markbook-schedule-'))
  lines = []
})
afterEach(async () => {
  vi.useRealTimers()
  await stop?.()
  rmSync(folder, { recursive: true, force: true })
})

const says = (level: string) => (fields: object, message: string) => void lines.push([level, fields, message])
const log = { info: says('info'), warn: says('warn'), error: says('error') } as never

/** A schedule whose program is this script; it gets the arguments of `markbook backup`. */
function schedule(script: string, afterStart = 1) {
  const registry = new Registry()
  const running = scheduleBackups({
    dataDir: folder,
    backupDir: folder,
    databaseId,
    clock,
    log,
    registry,
    afterStart,
    program: ['-e', script, '--'],
  })
  stop = running.stop
  return registry
}
const untilLogged = () => vi.waitFor(() => expect(lines).not.toEqual([]), { timeout: 10_000 })

describe('a scheduled backup', () => {
  test('is made soon after a start that follows a gap, by a process of its own, and logged', async () => {
    schedule('console.log(process.argv.slice(1).join(" "))')
    await untilLogged()
    expect(lines).toEqual([['info', { reason: 'hourly' }, `backup --reason hourly --data-dir ${folder}`]])
  })

  test('is not made where the newest is of this hour, whatever one says that a wrong clock dated ahead', async () => {
    const of = (ms: number) => join(folder, databaseId, nameOf(clock.now() + ms, 'hourly'))
    for (const ms of [-600_000, 365 * 86_400_000]) mkdirSync(of(ms), { recursive: true })
    const registry = schedule('console.log("made")')
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(lines).toEqual([])
    const newest = Math.floor((clock.now() - 600_000) / 1_000)
    expect(await registry.metrics()).toMatch(new RegExp(`^markbook_backup_last_timestamp_seconds ${newest}$`, 'm'))
  })

  test('is followed by a rehearsal, where none was for a week', async () => {
    const script = 'console.log(process.argv.slice(1).join(" "))'
    const registry = schedule(script)
    await vi.waitFor(() => expect(lines).toHaveLength(2), { timeout: 10_000 })
    expect(lines[1]).toEqual(['info', { reason: 'hourly' }, `backup --rehearse --if-due --data-dir ${folder}`])
    await stop?.()
    const at = new Date(clock.now() - 7 * 86_400_000).toISOString()
    mkdirSync(join(folder, databaseId))
    writeFileSync(join(folder, databaseId, 'rehearsal.json'), JSON.stringify({ at, backup: 'x', flaw: null, sound: { at, backup: 'x' } }))
    expect(await registry.metrics()).toMatch(new RegExp(`^markbook_backup_rehearsed_timestamp_seconds ${Date.parse(at) / 1_000}$`, 'm'))
    schedule(script)
    await vi.waitFor(() => expect(lines).toHaveLength(3), { timeout: 10_000 })
    await new Promise((resolve) => setTimeout(resolve, 300))
    // A week ago to the moment: at night it would be time, at another hour not for one more day.
    expect(lines).toHaveLength(3)
  })

  test('its warnings are logged as such', async () => {
    schedule('console.log("Backed up"); console.error("Warning: no disk")')
    await untilLogged()
    expect(lines[0]?.[0]).toBe('warn')
    expect(lines[0]?.[2]).toMatch(/Warning: no disk/)
  })

  test('a failure is an error in the log and in the metrics, and the server goes on', async () => {
    const registry = schedule('console.error("No backup was made: the disk is full."); process.exit(1)')
    await untilLogged()
    expect(lines).toEqual([['error', { reason: 'hourly', code: 1 }, 'the backup failed: No backup was made: the disk is full.']])
    expect(await registry.metrics()).toMatch(/^markbook_backup_failures_total 1$/m)
  })

  test('one that is under way ends with the server', async () => {
    schedule('setTimeout(() => {}, 60_000)')
    await new Promise((resolve) => setTimeout(resolve, 300))
    await stop?.()
    expect(lines[0]?.[0]).toBe('error')
  })

  test('none after a start where the newest is less than an hour old; the metrics say when that was', async () => {
    mkdirSync(join(folder, databaseId, nameOf(clock.now() - 1_800_000, 'hourly')), { recursive: true })
    const registry = schedule('console.log("made")')
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(lines).toEqual([])
    expect(await registry.metrics()).toMatch(new RegExp(`^markbook_backup_last_timestamp_seconds ${clock.now() / 1_000 - 1_800}$`, 'm'))
  })
})
