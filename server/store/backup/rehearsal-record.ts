import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { limits } from '@markbook/shared/limits'
import { z } from 'zod'
import { orNull } from '../../or-null.ts'
import { folderOfDatabase } from './manifest.ts'

const Tried = z.object({ at: z.iso.datetime(), backup: z.string() })
const Rehearsal = Tried.extend({ flaw: z.string().nullable(), sound: Tried.nullable() })
/**
 * When which backup was put back for trial. `flaw`: why it did not come back whole, or could not be tried; null where it did. `sound`: the
 * last that did, also where a later one did not.
 */
export type Rehearsal = z.infer<typeof Rehearsal>

export const RECORD = 'rehearsal.json'

/** The last rehearsal of a database's backups, from their folder; null where there was none. */
export const lastRehearsal = (folder: string, databaseId: string): Rehearsal | null => rehearsalIn(folderOfDatabase(folder, databaseId))
export const rehearsalIn = (own: string): Rehearsal | null =>
  orNull(() => Rehearsal.parse(JSON.parse(readFileSync(join(own, RECORD), 'utf8'))))

/** The backup that is kept whatever its age: the last that was proved. */
export const lastProved = (own: string): string | null => rehearsalIn(own)?.sound?.backup ?? null

/** Once a week at night; where no night was possible, a day later at any hour. */
export function isDue(last: Rehearsal | null, now: number, isNight: boolean): boolean {
  if (!last) return true
  const since = Math.abs(now - Date.parse(last.at))
  return since >= limits.backup.rehearsalEveryMs + (isNight ? 0 : 86_400_000)
}
