import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeFolder } from './make-folder.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'markbook-folder-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

test('makes a folder and those above it with the mode, and leaves one that is there', () => {
  const path = join(home, 'a', 'b', 'c')
  makeFolder(path, 0o700)
  for (const made of [join(home, 'a'), path]) expect(statSync(made).mode & 0o777).toBe(0o700)
  expect(() => makeFolder(path, 0o755)).not.toThrow()
  expect(statSync(path).mode & 0o777).toBe(0o700)
})

test('says what stands in the way', () => {
  writeFileSync(join(home, 'file'), '')
  symlinkSync(join(home, 'gone'), join(home, 'link'))
  const code = (path: string) => {
    try {
      makeFolder(join(home, path))
    } catch (error) {
      return (error as { code?: string }).code
    }
  }
  expect(code('file')).toBe('EEXIST')
  expect(code('file/below')).toBe('ENOTDIR')
  expect(code('link/below')).toBe('EEXIST')
})

test.skipIf(!existsSync('/proc/self'))('ends where a folder that exists takes in no other', () => {
  // In a process of its own, since it would never come back.
  const script = `import { makeFolder } from ${JSON.stringify(join(import.meta.dirname, 'make-folder.ts'))}; makeFolder(process.argv[1])`
  for (const path of ['/proc/markbook-backups', '/proc/markbook-backups/of/school']) {
    const args = ['--import', 'tsx', '--input-type=module', '--eval', script, path]
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 20_000, killSignal: 'SIGKILL' })
    expect(status).toBe(1)
    expect(stderr).toMatch(/ENOENT.*'\/proc\/markbook-backups'/)
  }
})
