import type { Profile } from '@markbook/shared/contract/auth'
import { useQuery } from '@tanstack/react-query'
import { keepProfile } from './last-seen.ts'
import { ask, queryClient } from './queries.ts'
import { noteSigningOut, signedIn } from './signed-out.ts'

/** The query for the profile of the person who is signed in. Read again when the window gets the focus, since the role may have changed. */
export const me = () => ask('auth', 'me')

/** After a sign-in: removes everything that was read for the person before. */
export function startSessionAs(profile: Profile): void {
  queryClient.clear()
  queryClient.setQueryData(me().queryKey, profile)
  keepProfile(profile)
  noteSigningOut(false)
  signedIn()
}

/** The step of a person from signing in to belonging to a school. */
export type AccountState = 'signed_out' | 'unnamed' | 'no_school' | 'waiting' | 'in_school'

/** The step of a person, from their profile; null for nobody signed in. */
export function accountStateOf(profile: Profile | null): AccountState {
  if (!profile) return 'signed_out'
  if (!profile.is_onboarded) return 'unnamed'
  if (profile.school_id) return 'in_school'
  return profile.pending_join_request ? 'waiting' : 'no_school'
}

/** The profile of the person who is signed in. Only for the pages of a school, which need one. */
export function useProfile(): Profile {
  const { data } = useQuery(me())
  if (!data) throw new Error('a page of the school was shown without a session')
  return data
}

export const isAdmin = ({ role }: Pick<Profile, 'role'>) => role === 'admin'
export const isStaff = ({ role }: Pick<Profile, 'role'>) => role === 'admin' || role === 'teacher'
