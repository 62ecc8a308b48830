import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeWhole } from './lan/whole.file.ts'

/** What a running server leaves in its folder for `markbook status`: `url` is where this machine reaches it, `urls` where others do. */
const Note = z.object({
  pid: z.int(),
  url: z.url(),
  urls: z.array(z.string()),
  version: z.string(),
  started_at: z.iso.datetime(),
})
export type RunningNote = z.infer<typeof Note>

const fileIn = (dataDir: string) => join(dataDir, 'running.json')

/** A central node may run where it cannot write; then it has no note, and runs all the same. */
export function leaveNote(dataDir: string, note: RunningNote): void {
  try {
    mkdirSync(dataDir, { recursive: true })
    writeWhole(fileIn(dataDir), `${JSON.stringify(note)}\n`, 0o600)
  } catch {}
}

/** Only the server that left it takes it away. */
export function removeNote(dataDir: string, pid: number): void {
  try {
    if (readNote(dataDir)?.pid === pid) rmSync(fileIn(dataDir), { force: true })
  } catch {}
}

/** Null where no server is started here; one that was killed leaves its note behind. Throws where this account may not look. */
export function readNote(dataDir: string): RunningNote | null {
  try {
    return Note.parse(JSON.parse(readFileSync(fileIn(dataDir), 'utf8')))
  } catch (error) {
    if (['EACCES', 'EPERM'].includes(String((error as { code?: string }).code))) throw error
    return null
  }
}
