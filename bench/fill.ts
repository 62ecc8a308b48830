import { randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { insertByTable } from '@markbook/server/store/rows-by-table'
import { openCentralStore, openSchoolStore, type Store } from '@markbook/server/store/store'
import { asSystem } from '@markbook/server/store/tx'
import { repeatableIds } from '@markbook/server/testing/clock'
import { systemClock } from '@markbook/shared/clock'
import { idSource, inPortions } from '@markbook/shared/ids'
import { withProgress } from '../scripts/progress.mjs'
import { cache, digestOfSchool, folderIn } from './paths.ts'
import { benchSchool, MARKS, marksIn, OPENED, type Size } from './school.ts'

/** The clock and ids of this run, as opposed to those of the filled databases. */
export const present = { clock: systemClock, newId: idSource(systemClock.now, inPortions(randomBytes)) }

/** The place of a school's database. */
export type At = { folder: string } | { url: string }

/** Does some work in a database of the benchmark; its server may be running. */
export async function withStore<T>(at: At, work: (store: Store) => Promise<T>): Promise<T> {
  const options = { ...present, beside: true }
  const opened =
    'folder' in at ? openSchoolStore(at.folder, { ...options, role: 'school' }) : openCentralStore(at.url, { ...options, role: 'centre' })
  const store = await opened
  return work(store).finally(() => store.close())
}

/** All rows are dated in the past, so that sessions begun now are younger than the school. */
const clock = { now: () => OPENED }

/** Writes through the change tracker, so that every row has versions and history. */
async function fill(store: Store, size: Size): Promise<void> {
  const school = benchSchool(size)
  await store.write(asSystem(), (tx) => insertByTable(tx, school.rows))
  let done = 0
  let written = 0
  const fillClasses = async () => {
    for (const marked of school.marked) {
      const marks = marksIn(marked, done).slice(0, MARKS[size] - written)
      await store.write(asSystem(school.head.id), async (tx) => {
        await tx.insert('assessment', marked.assessments)
        await tx.insert('grade', marks)
      })
      written += marks.length
      done += 1
    }
  }
  await withProgress(`filling ${size}`, fillClasses, () => Math.floor((done / school.marked.length) * 100))
}

/** The folder with the school's filled SQLite database. Filled once, and anew when the generator or the migrations change. */
export async function filledFolder(size: Size): Promise<string> {
  const digest = digestOfSchool()
  const wanted = join(cache, 'schools', digest, size)
  if (existsSync(wanted)) return wanted
  for (const other of readdirSync(folderIn('schools'))) if (other !== digest) rmSync(join(cache, 'schools', other), { recursive: true })
  const half = folderIn('schools', digest, `${size}.half`)
  rmSync(half, { recursive: true })
  const store = await openSchoolStore(half, { clock, newId: repeatableIds(clock, 'bench-history'), role: 'school' })
  await fill(store, size)
  await store.close()
  renameSync(half, wanted)
  return wanted
}

/** A new folder, removed after this run. */
export const newFolder = (): string => mkdtempSync(join(folderIn('running', String(process.pid)), 'copy-'))

/** A folder with an empty database: the schema and no rows. */
export async function emptyFolder(): Promise<string> {
  const folder = newFolder()
  const store = await openSchoolStore(folder, { clock, newId: repeatableIds(clock, folder), role: 'school' })
  await store.close()
  return folder
}

/** A folder with a copy of the school to write into. */
export async function copyOfSchool(size: Size): Promise<string> {
  const [from, to] = [await filledFolder(size), newFolder()]
  for (const file of readdirSync(from)) if (file !== 'server.lock') copyFileSync(join(from, file), join(to, file))
  return to
}

export const dropCopy = (folder: string) => rmSync(folder, { recursive: true, force: true })
export const dropCopies = () => dropCopy(join(cache, 'running', String(process.pid)))
