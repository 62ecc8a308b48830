import type { Profile } from '@markbook/shared/contract/auth'
import { readStored, writeStored } from '../../components/browser-storage.ts'

/**
 * The school of an open request to join, stored in this browser. The server reports only pending requests; with this, a person who returns
 * sees that a request was turned down.
 */
type RequestedSchool = { user: string; school: string }
const STORAGE_KEY = 'markbook.asked'

/** The id of the school that this person asked to join from this browser; null where there is none. */
export function requestedSchool({ id }: Pick<Profile, 'id'>): string | null {
  const stored = readStored(STORAGE_KEY)
  return stored?.startsWith(`${id} `) ? stored.slice(id.length + 1) : null
}

/** Null removes it. */
export const storeRequestedSchool = (requested: RequestedSchool | null) =>
  writeStored(STORAGE_KEY, requested && `${requested.user} ${requested.school}`)
