import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { replicationFailures } from '@markbook/shared/contract/replication'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { writeAtomically } from '../atomic-write.ts'
import { explain } from './explain.ts'
import { demandFreeFile } from './export/place.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'markbook-explain-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const said = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    return explain(error)
  }
  throw new Error('nothing was wrong')
}

describe('explain', () => {
  test('prints the reason alone of a refusal', () => {
    expect(explain(replicationFailures.notALaptopUser())).toBe(
      'An invitation for a laptop names an active teacher or administrator of the school.',
    )
  })

  test('says that the disk of PostgreSQL is full, also where a migration met it', () => {
    const full = Object.assign(new Error('could not extend file'), { code: '53100' })
    for (const error of [full, new Error('Failed query', { cause: full })])
      expect(explain(error)).toBe('The disk of PostgreSQL is full. What was saved is there. Make room on it, and do this again.')
  })

  test('says that PostgreSQL lets the database only be read', () => {
    const refused = Object.assign(new Error('cannot execute CREATE TABLE in a read-only transaction'), { code: '25006' })
    expect(explain(refused)).toMatch(/^PostgreSQL lets the database of DATABASE_URL only be read: .* let this one write again\.$/)
  })

  test('names the path that is missing or of another kind', () => {
    const away = join(folder, 'stick', 'marks.bundle')
    expect(said(() => readFileSync(away))).toBe(`There is no ${away}. Is the path right, and the disk or stick there?`)
    expect(said(() => writeAtomically(away, 'marks'))).toBe(`There is no ${away}. Is the path right, and the disk or stick there?`)
    expect(said(() => writeFileSync(folder, 'marks'))).toBe(`${folder} is a folder, where a file must be.`)
    const file = join(folder, 'file')
    writeFileSync(file, '')
    expect(said(() => mkdirSync(file, { recursive: true }))).toBe(`${file} is a file, where a folder must be.`)
    expect(said(() => writeFileSync(file, '', { flag: 'wx' }))).toBe(`${file} is there already.`)
    expect(said(() => mkdirSync(join(file, 'data')))).toMatch(/^\S+data cannot be reached: a part of that path is a file/)
    const shut = Object.assign(new Error('EACCES: permission denied, open'), { code: 'EACCES', path: '/srv/marks/running.json' })
    expect(explain(shut)).toBe('This account may not use /srv/marks/running.json. Use sudo, or run this as the account of the server.')
    const port = Object.assign(new Error('listen EACCES: permission denied 0.0.0.0:80'), { code: 'EACCES', port: 80 })
    expect(explain(port)).toBe('This account may not listen at port 80, as most may at none below 1024. Choose another with PORT=3000.')
    // Only root can mount a read-only file system; its error is the same everywhere.
    const readOnly = Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS', path: '/media/usb/up.bundle.unfinished' })
    expect(explain(readOnly)).toBe('/media/usb/up.bundle cannot be written: its disk or stick can only be read.')
  })

  test('prints the stack of an unknown error', () => {
    expect(explain(Object.assign(new Error('odd'), { code: 'ERR_ODD' }))).toMatch(/odd\n {4}at /)
  })
})

describe('demandFreeFile', () => {
  test('refuses an existing path, and one whose folder does not exist', () => {
    expect(() => demandFreeFile(join(folder, 'new.bundle'))).not.toThrow()
    expect(said(() => demandFreeFile(folder))).toBe(`${folder} is there already, and was not touched. Name a new file.`)
    expect(said(() => demandFreeFile(join(folder, 'stick', 'x')))).toMatch(`There is no folder ${join(folder, 'stick')}.`)
  })
})
