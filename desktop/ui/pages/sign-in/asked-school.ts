import type { Profile } from '@markbook/shared/contract/auth'

/**
 * The school that a person asked and that has not answered, kept on this computer: the server says only what is pending, so that this is
 * how somebody who comes back learns that a request has ended without a place.
 */
export type AskedSchool = { user: string; school: string }
const KEPT = 'markbook.asked'

export function askedSchool({ id }: Pick<Profile, 'id'>): string | null {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? 'null') as Partial<AskedSchool> | null
    return kept?.user === id && typeof kept.school === 'string' ? kept.school : null
  } catch {
    return null
  }
}

/** Null forgets it. */
export function keepAskedSchool(asked: AskedSchool | null): void {
  try {
    if (asked) localStorage.setItem(KEPT, JSON.stringify(asked))
    else localStorage.removeItem(KEPT)
  } catch {
    // Then only the page that is open will know.
  }
}
