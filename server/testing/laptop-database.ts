import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { people } from '@markbook/shared/story/people'
import Database from 'better-sqlite3'
import { afterAll, beforeAll } from 'vitest'
import { DATABASE_FILE } from '../store/sqlite.ts'
import { memoryFolder } from './memory-folder.ts'
import { school } from './school.ts'

/** A folder with the database of the story, closed and plain; `laptop`: as a laptop that a school has invited for Mrs Okafor. */
export async function storyFolder({ laptop }: { laptop: boolean }): Promise<string> {
  const folder = memoryFolder('markbook-laptop-')
  const st = await school({ database: 'sqlite' })
  await st.services.store.close()
  copyFileSync(join(st.database.folder, DATABASE_FILE), join(folder, DATABASE_FILE))
  await st.close()
  if (laptop) joinAsLaptop(folder)
  return folder
}

/** Both kinds of such folders, as sources for the tests of a file. Call in `describe` or at the top. */
export function storyFolders(): { laptop: string; school: string } {
  const folders = { laptop: '', school: '' }
  beforeAll(async () => {
    folders.laptop = await storyFolder({ laptop: true })
    folders.school = await storyFolder({ laptop: false })
  })
  afterAll(() => {
    for (const folder of Object.values(folders)) rmSync(folder, { recursive: true, force: true })
  })
  return folders
}

/** Inserts the row of a parent, as joining does. */
function joinAsLaptop(folder: string): void {
  const database = new Database(join(folder, DATABASE_FILE))
  const columns = database.pragma('table_info(sync_peer)') as { name: string; type: string; notnull: number; dflt_value: unknown }[]
  const needed = columns.filter(({ notnull, dflt_value }) => notnull === 1 && dflt_value === null)
  const row = Object.fromEntries(needed.map(({ name, type }) => [name, type.toLowerCase() === 'integer' ? 0 : `of ${name}`]))
  const all: Record<string, unknown> = { ...row, side: 'parent', kind: 'school', name: 'The school', user_id: people.okafor.id }
  const names = Object.keys(all)
  database.prepare(`insert into sync_peer (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`).run(...Object.values(all))
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
}

/** The files below a folder that contain these words in plain text. */
export function filesSaying(folder: string, words: readonly string[]): string[] {
  if (!existsSync(folder)) return []
  return (readdirSync(folder, { recursive: true, encoding: 'utf8' }) as string[])
    .filter((name) => statSync(join(folder, name)).isFile())
    .filter((name) => {
      const bytes = readFileSync(join(folder, name))
      return words.some((word) => bytes.includes(word))
    })
}
