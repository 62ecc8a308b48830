import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeAtomically } from '../../atomic-write.ts'
import { makeFolder } from '../../make-folder.ts'
import { orNull } from '../../or-null.ts'

/**
 * Whose a database is. `id` is that of its first node, which every restore keeps: the name of the folder of its backups. `school` is what
 * people call it; null where it holds no school yet.
 */
export type DatabaseOwner = { id: string; school: string | null }

/** Of several names, or of none, what a person is told. */
export function schoolsInWords(names: readonly string[]): string | null {
  const [first, second, ...others] = names
  if (first === undefined) return null
  if (second === undefined) return first
  return others.length === 0 ? `${first} and ${second}` : `${names.length.toLocaleString('en-GB')} schools`
}

export const ownerText = (whose: DatabaseOwner | null): string =>
  whose?.school ?? (whose ? 'a server without a school' : 'an unknown school')

/** As somebody types it after `--school`: by its number where a shell would take its name for something else. */
export const schoolOption = (whose: DatabaseOwner | null): string =>
  whose?.school && !/["`$\\!]/.test(whose.school) ? `--school "${whose.school}"` : `--school ${whose?.id}`

/** Whether somebody who typed this means that database: by its number, or by its school without regard to capitals and marks. */
export const isCalled = ({ id, school }: DatabaseOwner, name: string): boolean =>
  id === name.toLowerCase() || (school !== null && plain(name) !== '' && plain(school) === plain(name))

const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase()

const Note = z.object({ id: z.uuid(), school: z.string().nullable() })
export const OWNER_NOTE = 'database.json'
const noteIn = (dataDir: string) => join(dataDir, OWNER_NOTE)

/** Whose database belongs into this folder, for the day on which it is gone or damaged. Null where none was ever backed up or served. */
export const readOwnerNote = (dataDir: string): DatabaseOwner | null =>
  orNull(() => Note.parse(JSON.parse(readFileSync(noteIn(dataDir), 'utf8'))))

/** A central node may run where it cannot write; then it has no note. */
export function writeOwnerNote(dataDir: string, whose: DatabaseOwner): void {
  const known = readOwnerNote(dataDir)
  if (known?.id === whose.id && known.school === whose.school) return
  orNull(() => {
    makeFolder(dataDir)
    writeAtomically(noteIn(dataDir), `${JSON.stringify(whose)}\n`)
  })
}
