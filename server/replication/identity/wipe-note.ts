import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeAtomically } from '../../atomic-write.ts'

/**
 * What stands in the folder of a laptop that erases itself, or has done so: from before the first file goes, so that a power cut only
 * delays it. `by`: the server that asked for it. `lastWord`: the request by which that one hears of it, until it has; the keys that it is
 * signed with are gone by then. `authority`: with which certificate that one shows itself, where not everybody trusts it.
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
export type LastWord = NonNullable<WipeNote['lastWord']>

const fileIn = (dataDir: string) => join(dataDir, WIPE_NOTE)
export const WIPE_NOTE = 'wipe.json'

/** Null where this folder was never erased. Throws where the note cannot be read: nothing may begin there as if nothing had been. */
export const readWipeNote = (dataDir: string): WipeNote | null =>
  existsSync(fileIn(dataDir)) ? Note.parse(JSON.parse(readFileSync(fileIn(dataDir), 'utf8'))) : null

export const writeWipeNote = (dataDir: string, note: WipeNote): void => writeAtomically(fileIn(dataDir), `${JSON.stringify(note)}\n`, 0o600)
