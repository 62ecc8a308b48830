import type { Profile } from '@markbook/shared/contract/auth'
import { readStoredObject, writeStored } from '../../components/browser-storage.ts'

/**
 * The school of an unanswered request to join, stored on this computer. The server reports only pending requests, so this tells a person
 * who returns that a request was turned down.
 */
export type RequestedSchool = { user: string; school: string }
const STORAGE_KEY = 'markbook.asked'

export function requestedSchool({ id }: Pick<Profile, 'id'>): string | null {
  const stored = readStoredObject<RequestedSchool>(STORAGE_KEY)
  return stored?.user === id && typeof stored.school === 'string' ? stored.school : null
}

/** Null removes it. */
export const storeRequestedSchool = (requested: RequestedSchool | null) => writeStored(STORAGE_KEY, requested && JSON.stringify(requested))
