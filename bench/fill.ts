import { copyFileSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openSchoolStore, type Store } from '@markbook/server/store/store'
import { asSystem } from '@markbook/server/store/tx'
import { repeatableIds } from '@markbook/server/testing/clock'
import type { Replicated } from '@markbook/shared/tables/tables'
import { cache, digestOfSchool, folderIn } from './places.ts'
import { progress } from './progress.ts'
import { benchSchool, MARKS, marksIn, type Size } from './school.ts'

/** Everything was written at one moment of the past, so that sessions of now are younger than the school. */
const clock = { now: () => Date.parse('2025-09-01T08:00:00.000Z') }

/** Through the write door, like any other write: every row has its versions and its history. */
async function fill(store: Store, size: Size): Promise<void> {
  const school = benchSchool(size)
  await store.write(asSystem(), async (tx) => {
    for (const [table, rows] of Object.entries(school.rows)) await tx.insert(table as Replicated, rows as never)
  })
  const say = progress(`Filling ${size}`)
  let written = 0
  for (const [at, marked] of school.marked.entries()) {
    await store.write(asSystem(school.head.id), async (tx) => {
      await tx.insert('assessment', marked.assessments)
      const left = MARKS[size] - written
      const marks = marksIn(marked, at).slice(0, left)
      written += marks.length
      await tx.insert('grade', marks)
    })
    say((at + 1) / school.marked.length)
  }
}

/** The folder of the school's filled SQLite database: made once, and again when the generator or the migrations change. */
export async function filledFolder(size: Size): Promise<string> {
  const digest = digestOfSchool()
  const wanted = join(cache, 'schools', digest, size)
  if (existsSync(wanted)) return wanted
  for (const other of readdirSync(folderIn('schools'))) if (other !== digest) rmSync(join(cache, 'schools', other), { recursive: true })
  const half = folderIn('schools', digest, `${size}.half`)
  rmSync(half, { recursive: true })
  const store = await openSchoolStore(half, { clock, newId: repeatableIds(clock, 'bench-history'), kind: 'school' })
  await fill(store, size)
  await store.close()
  renameSync(half, wanted)
  return wanted
}

/** The folder of a database in which nothing has been written yet. */
export async function emptyFolder(name: string): Promise<string> {
  const folder = folderIn('running', String(process.pid), name)
  rmSync(folder, { recursive: true, force: true })
  const store = await openSchoolStore(folder, { clock, newId: repeatableIds(clock, name), kind: 'school' })
  await store.close()
  return folder
}

/** A copy to write into. */
export async function copyOfSchool(size: Size, name: string): Promise<string> {
  const from = await filledFolder(size)
  const to = folderIn('running', String(process.pid), name)
  for (const file of readdirSync(from)) if (file !== 'server.lock') copyFileSync(join(from, file), join(to, file))
  return to
}

export const dropCopy = (folder: string) => rmSync(folder, { recursive: true, force: true })
export const dropCopies = () => rmSync(join(cache, 'running', String(process.pid)), { recursive: true, force: true })
