import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readNote, removeNote, writeNote } from './running-note.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'markbook-note-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const note = { pid: 4321, url: 'http://localhost:3000', urls: [], version: '0.1.0', started_at: '2027-03-01T08:00:00.000Z' }

test('the note of a server that runs is removed by that server, and not by one that ends later', () => {
  writeNote(folder, note)
  removeNote(folder, 4320)
  expect(readNote(folder)).toEqual(note)
  removeNote(folder, 4321)
  expect(readNote(folder)).toBeNull()
})
