import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { blobOf, withoutConsole } from './executable.mjs'
import { iconOf } from './icon.mjs'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'markbook-package-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const major = Number(process.versions.node.split('.')[0])

describe('the executable', () => {
  test.skipIf(major !== 20)('has the code in the format that Node itself writes, where Node 20 runs this test', () => {
    const text = 'console.log("Élan")'
    writeFileSync(join(folder, 'markbook'), text)
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ main: 'markbook', output: 'blob', disableExperimentalSEAWarning: true }))
    execFileSync(process.execPath, ['--experimental-sea-config', 'config.json'], { cwd: folder, stdio: 'ignore' })
    expect(blobOf(text, major).equals(readFileSync(join(folder, 'blob')))).toBe(true)
  })

  test('of Node 22 has one byte more, after the flags', () => {
    const [older, newer] = [blobOf('x', 20), blobOf('x', 22)]
    expect(Buffer.concat([newer.subarray(0, 8), newer.subarray(9)]).equals(older)).toBe(true)
  })

  test('of Windows is marked as without a console; another file is refused', () => {
    const path = join(folder, 'program.exe')
    const bytes = Buffer.alloc(256)
    bytes.writeUInt32LE(64, 0x3c)
    bytes.write('PE\0\0', 64, 'latin1')
    bytes.writeUInt16LE(3, 64 + 0x5c)
    writeFileSync(path, bytes)
    withoutConsole(path)
    expect(readFileSync(path).readUInt16LE(64 + 0x5c)).toBe(2)
    expect(() => withoutConsole(path)).toThrow(/is no program of the console/)
  })
})

test('an icon has a directory with the size and place of each picture', () => {
  const icon = iconOf([
    { size: 16, png: Buffer.from('small') },
    { size: 256, png: Buffer.from('larger') },
  ])
  expect([icon.readUInt16LE(2), icon.readUInt16LE(4)]).toEqual([1, 2])
  expect([icon.readUInt8(6), icon.readUInt8(22)]).toEqual([16, 0])
  const picture = (entry: number) =>
    icon.toString('latin1', icon.readUInt32LE(entry + 12), icon.readUInt32LE(entry + 12) + icon.readUInt32LE(entry + 8))
  expect([picture(6), picture(22)]).toEqual(['small', 'larger'])
})

describe.skipIf(process.platform !== 'linux')('the removal of the Debian package', () => {
  /**
   * Runs the script with paths in the folder of the test; `how`: its argument, as from dpkg; `mine`: further files. Returns what is left.
   */
  function gone(how: string, mine: readonly string[] = []) {
    for (const path of ['etc/markbook/markbook.conf', 'var/lib/markbook/markbook.sqlite', ...mine]) {
      mkdirSync(join(folder, path, '..'), { recursive: true })
      writeFileSync(join(folder, path), 'PORT=3000\n')
    }
    const text = readFileSync(join(import.meta.dirname, 'debian', 'postrm'), 'utf8')
    const script = text.replace(/\/(?:etc|var\/lib|usr\/share|run)\//g, (place) => join(folder, place))
    execFileSync('sh', ['-c', script, 'postrm', how], { stdio: 'ignore' })
    return { settings: existsSync(join(folder, 'etc', 'markbook')), marks: existsSync(join(folder, 'var/lib/markbook/markbook.sqlite')) }
  }

  test('remove leaves marks and settings', () => expect(gone('remove')).toEqual({ settings: true, marks: true }))
  test('purge without a question removes the settings that the package made, and leaves the marks', () =>
    expect(gone('purge')).toEqual({ settings: false, marks: true }))
  test('purge leaves files of others beside the settings', () => {
    expect(gone('purge', ['etc/markbook/certificate.pem'])).toEqual({ settings: true, marks: true })
    expect(existsSync(join(folder, 'etc/markbook/markbook.conf'))).toBe(false)
  })
})
