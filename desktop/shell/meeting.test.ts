import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Met, meet, type Wish } from './meeting.ts'
import { choosePort } from './port.ts'

let folder: string
let place: string
const leaving: Met[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'markbook-meeting-'))
  place = process.platform === 'win32' ? `\\\\.\\pipe\\markbook-test-${process.pid}` : join(folder, 'place.sock')
})
afterEach(async () => {
  for (const met of leaving.splice(0)) if (met.role === 'first') await met.leave()
  rmSync(folder, { recursive: true, force: true })
})

const come = async (wish: Wish, heard: Wish[] = []) => {
  const met = await meet(place, wish, (each) => heard.push(each))
  leaving.push(met)
  return met.role
}

describe('a second start', () => {
  test('is heard by the first', async () => {
    const heard: Wish[] = []
    expect(await come('open', heard)).toBe('first')
    expect([await come('open'), await come('quit')]).toEqual(['heard', 'heard'])
    expect(heard).toEqual(['open', 'quit'])
  })

  test('at the very same moment: one is the first, the others are heard', async () => {
    const heard: Wish[] = []
    const roles = await Promise.all([1, 2, 3].map(() => come('open', heard)))
    expect(roles.sort()).toEqual(['first', 'heard', 'heard'])
    expect(heard).toEqual(['open', 'open'])
  })

  test.skipIf(process.platform === 'win32')('takes over the place of one that was killed', async () => {
    const script = `require('net').createServer().listen(${JSON.stringify(place)}, () => process.kill(process.pid, 'SIGKILL'))`
    spawnSync(process.execPath, ['-e', script])
    expect(existsSync(place)).toBe(true)
    expect(await come('open')).toBe('first')
  })

  test('and whoever says something else there is not listened to', async () => {
    const heard: Wish[] = []
    await come('open', heard)
    const answer = await new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(place, () => socket.end(`${'x'.repeat(100)}\nquit\n`))
      socket.on('data', (part) => {
        text += String(part)
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve(text))
    })
    expect([answer, heard]).toEqual(['', []])
  })
})

describe('the port', () => {
  const state = () => join(folder, 'program.json')

  test('stays the same from start to start', async () => {
    const port = await choosePort(state())
    expect(await choosePort(state())).toBe(port)
  })

  test('is another where somebody has taken it, or where nobody can read what it was', async () => {
    const port = await choosePort(state())
    const other = createServer().listen(port, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const next = await choosePort(state())
    expect(next).not.toBe(port)
    await new Promise((resolve) => other.close(resolve))
    for (const junk of ['{', '{"port":"80"}', '{"port":22}']) {
      writeFileSync(state(), junk)
      expect(await choosePort(state())).toBeGreaterThan(1_023)
    }
  })
})
