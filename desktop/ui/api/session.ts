import type { Profile } from '@markbook/shared/contract/auth'
import type { Failure } from '@markbook/shared/failures'
import { useQuery } from '@tanstack/react-query'
import { ask, queryClient } from './queries.ts'
import { signedIn } from './signed-out.ts'

/** Who is signed in; asked again whenever the window comes back, since a role may have changed. */
export const me = () => ask('auth', 'me')

/** Somebody has signed in: nothing is left of whoever was here before. */
export function enterAs(profile: Profile): void {
  queryClient.clear()
  queryClient.setQueryData(me().queryKey, profile)
  signedIn()
}

/** Where a person belongs, from what is known of them. */
export type Standing = 'signed_out' | 'unnamed' | 'no_school' | 'waiting' | 'in_school'

export function standingOf(profile: Profile | null): Standing {
  if (!profile) return 'signed_out'
  if (!profile.is_onboarded) return 'unnamed'
  if (profile.school_id) return 'in_school'
  return profile.pending_join_request ? 'waiting' : 'no_school'
}

/** The profile of whoever is signed in; only for pages inside the frame, which are not shown without one. */
export function useProfile(): Profile {
  const { data } = useQuery(me())
  if (!data) throw new Error('a page of the school was shown to nobody')
  return data
}

export const isAdmin = ({ role }: Pick<Profile, 'role'>) => role === 'admin'
export const isStaff = ({ role }: Pick<Profile, 'role'>) => role === 'admin' || role === 'teacher'
export const isSignedOut = (failure: Failure) => failure.status === 401
