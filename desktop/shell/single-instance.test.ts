import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { choosePort } from './server.ts'
import { acquireInstance, type Instance, type InstanceCommand } from './single-instance.ts'

let folder: string
let socketPath: string
const leaving: Instance[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'markbook-meeting-'))
  socketPath = process.platform === 'win32' ? `\\\\.\\pipe\\markbook-test-${process.pid}` : join(folder, 'socketPath.sock')
})
afterEach(async () => {
  for (const instance of leaving.splice(0)) if (instance.role === 'primary') await instance.close()
  rmSync(folder, { recursive: true, force: true })
})

const come = async (command: InstanceCommand, received: InstanceCommand[] = []) => {
  const instance = await acquireInstance(socketPath, command, (each) => received.push(each))
  leaving.push(instance)
  return instance.role
}

describe('a second start', () => {
  test('forwards its command to the first', async () => {
    const received: InstanceCommand[] = []
    expect(await come('open', received)).toBe('primary')
    expect([await come('open'), await come('quit')]).toEqual(['forwarded', 'forwarded'])
    expect(received).toEqual(['open', 'quit'])
  })

  test('of three starts at the same moment one is primary, the others forward', async () => {
    const received: InstanceCommand[] = []
    const roles = await Promise.all([1, 2, 3].map(() => come('open', received)))
    expect(roles.sort()).toEqual(['forwarded', 'forwarded', 'primary'])
    expect(received).toEqual(['open', 'open'])
  })

  test.skipIf(process.platform === 'win32')('replaces the socket of a killed process', async () => {
    const script = `require('net').createServer().listen(${JSON.stringify(socketPath)}, () => process.kill(process.pid, 'SIGKILL'))`
    spawnSync(process.execPath, ['-e', script])
    expect(existsSync(socketPath)).toBe(true)
    expect(await come('open')).toBe('primary')
  })

  test('ignores other text on the socket', async () => {
    const received: InstanceCommand[] = []
    await come('open', received)
    const answer = await new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(socketPath, () => socket.end(`${'x'.repeat(100)}\nquit\n`))
      socket.on('data', (part) => {
        text += String(part)
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve(text))
    })
    expect([answer, received]).toEqual(['', []])
  })
})

describe('the port', () => {
  const state = () => join(folder, 'program.json')

  test('is the same at each start', async () => {
    const port = await choosePort(state())
    expect(await choosePort(state())).toBe(port)
  })

  test('changes where it is taken, or where the file with it cannot be read', async () => {
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
