import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type UnitOptions, unitOf } from './unit.ts'

const options: UnitOptions = {
  user: 'markbook',
  node: process.execPath,
  program: '/opt/markbook/dist/markbook.mjs',
  args: ['start'],
  configFile: '/etc/markbook/markbook.conf',
  dataDir: '/var/lib/markbook',
  port: 3000,
  writes: ['/mnt/usb disk/50%'],
}
const analyse = (...args: string[]) => {
  const { status, stdout, stderr, error } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
  return { status, output: `${stdout}${stderr}`, isMissing: error !== undefined }
}
let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'markbook-unit-'))
  path = join(folder, 'markbook.service')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the unit of systemd', () => {
  test.each([
    ['the usual one', options],
    ['with a low port', { ...options, port: 443 }],
    ['with its folder elsewhere', { ...options, dataDir: '/srv/the marks' }],
    ['with a program in a home', { ...options, program: '/home/head/mark"book/dist/$markbook.mjs' }],
  ])('systemd accepts the unit: %s', (_, given) => {
    writeFileSync(path, unitOf(given))
    const { status, output, isMissing } = analyse('verify', '--man=no', path)
    if (isMissing) return console.log('systemd-analyze is not on this machine: the unit was not verified.')
    expect({ status, output }).toEqual({ status: 0, output: '' })
  })

  test('systemd-analyze rates the exposure of the unit as 2.0 of 10 at most', () => {
    writeFileSync(path, unitOf(options))
    const { status, output, isMissing } = analyse('security', '--offline=true', '--threshold=20', '--no-pager', path)
    if (isMissing || /unrecognized option|Unknown/.test(output)) return console.log('systemd-analyze cannot judge a unit on this machine.')
    expect(status, output).toBe(0)
  })

  test('it may write only to its own folders, and has a right for low ports only where it needs one', () => {
    const unit = unitOf(options)
    expect(unit).toContain('StateDirectory=markbook\n')
    expect(unit).toContain('ReadWritePaths=-"/mnt/usb disk/50%%"\n')
    expect(unit).toContain('CapabilityBoundingSet=\n')
    expect(unitOf({ ...options, port: 443 })).toContain('AmbientCapabilities=CAP_NET_BIND_SERVICE\n')
    expect(unitOf({ ...options, dataDir: '/srv/the marks' })).toContain('ReadWritePaths="/srv/the marks"\n')
  })

  test('a program in a home directory can be read, and nothing else there can be written', () => {
    expect(unitOf(options)).toContain('ProtectHome=yes\n')
    expect(unitOf({ ...options, program: '/home/head/markbook/dist/markbook.mjs' })).toContain('ProtectHome=read-only\n')
  })
})
