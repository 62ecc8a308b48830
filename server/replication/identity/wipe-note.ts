import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeAtomically } from '../../atomic-write.ts'

/**
 * The note in the folder of a laptop that erases itself, or has done so. It is written before the first file goes, so that a power cut only
 * delays the erasing. `by`: the server that asked for it. `lastWord`: the signed request that reports it to that server, until it was
 * heard; the keys that signed it are gone by then. `authority`: the certificate of that server's authority, where it is not one that
 * everybody trusts.
 */
const Note = z.object({
  by: z.string(),
  asked_at: z.string(),
  at: z.string(),
  isErased: z.boolean(),
  lastWord: z
    .object({ url: z.url(), headers: z.record(z.string(), z.string()), body: z.string(), answers: z.string(), key: z.string() })
    .nullable(),
  authority: z.string().nullable(),
})
export type WipeNote = z.infer<typeof Note>
export type ErasedReport = NonNullable<WipeNote['lastWord']>

const fileIn = (dataDir: string) => join(dataDir, WIPE_NOTE)
const WIPE_NOTE = 'wipe.json'

/** Null where this folder was never erased. Throws where the note cannot be read: nothing may begin there as if there were none. */
export const readWipeNote = (dataDir: string): WipeNote | null =>
  existsSync(fileIn(dataDir)) ? Note.parse(JSON.parse(readFileSync(fileIn(dataDir), 'utf8'))) : null

export const writeWipeNote = (dataDir: string, note: WipeNote): void => writeAtomically(fileIn(dataDir), `${JSON.stringify(note)}\n`)
