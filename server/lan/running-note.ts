import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeAtomically } from '../atomic-write.ts'
import { codeOf } from '../error-code.ts'
import { makeFolder } from '../make-folder.ts'

/**
 * What a running server writes in its folder for `markbook status`: `url` is where this machine reaches it, `urls` where others do,
 * `duplicates` where other servers have the same database, `namesakes` where others have the name of this one in the network.
 */
const Note = z.object({
  pid: z.int(),
  url: z.url(),
  urls: z.array(z.string()),
  duplicates: z.array(z.string()).optional(),
  namesakes: z.array(z.string()).optional(),
  version: z.string(),
  started_at: z.iso.datetime(),
})
export type RunningNote = z.infer<typeof Note>

const fileIn = (dataDir: string) => join(dataDir, 'running.json')

/** A central node may run where it cannot write; then it has no note. */
export function writeNote(dataDir: string, note: RunningNote): void {
  try {
    makeFolder(dataDir)
    writeAtomically(fileIn(dataDir), `${JSON.stringify(note)}\n`)
  } catch {}
}

/** Only the server that wrote it removes it. */
export function removeNote(dataDir: string, pid: number): void {
  try {
    if (readNote(dataDir)?.pid === pid) rmSync(fileIn(dataDir), { force: true })
  } catch {}
}

/** Null where no server is started here; the note of one that was killed stays. Throws where this account may not read it. */
export function readNote(dataDir: string): RunningNote | null {
  try {
    return Note.parse(JSON.parse(readFileSync(fileIn(dataDir), 'utf8')))
  } catch (error) {
    if (['EACCES', 'EPERM'].includes(codeOf(error))) throw error
    return null
  }
}
