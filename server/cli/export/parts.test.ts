import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeCsv } from '../../documents/csv.ts'
import { sha256Of } from '../../files/digest.ts'
import { PartsFolder, SortedLines } from './parts.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'markbook-parts-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a table that is written piece by piece has the bytes of writeCsv and their digest', () => {
  const rows = Array.from({ length: 1_234 }, (_, at) => [at, `=a "${at}"`, null, 'é\n;'])
  const parts = new PartsFolder(join(folder, 'export'), { version: '1', schema: 1, school: 'a', admin: 'b', position: '1:x' })
  const table = parts.table('tables/a.csv', ['n', 'text', 'none', 'lines'])
  for (const row of rows) table.add(row)
  table.end()
  const expected = writeCsv({ head: ['n', 'text', 'none', 'lines'], rows })
  expect(readFileSync(join(folder, 'export/tables/a.csv')).equals(expected)).toBe(true)
  expect(parts.written).toEqual([{ path: 'tables/a.csv', size: expected.length, sha256: sha256Of(expected) }])
})

test('lines are sorted by all their cells, also when they do not fit in memory', () => {
  const sorted = new SortedLines(join(folder, 'sorting'), 2)
  const long = 'x'.repeat(400)
  const lines = Array.from({ length: 20_000 }, (_, at) => [
    `${(at * 7) % 5}`,
    at % 3 === 0 ? null : `${(at * 11) % 4}`,
    (at * 7_919) % 20_000,
    long,
  ])
  for (const line of lines) sorted.add(line)
  const key = (line: readonly unknown[]) => line.map((cell) => `${cell ?? ''}\u0001`).join('')
  expect([...sorted.inOrder()].map(key)).toEqual(lines.map(key).sort())
})
