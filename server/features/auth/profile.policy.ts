import type { Profile } from '@markbook/shared/contract/auth'
import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import type { Caller } from '../../http/caller.ts'
import type { Services } from '../../http/services.ts'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { avatarUrl } from '../avatars/avatars.policy.ts'
import { newestPendingRequest } from './auth.queries.ts'

/** The caller of an endpoint that requires a session. */
export function signedIn(caller: Caller | null): Caller {
  if (!caller) throw common.unauthenticated()
  return caller
}

/** The caller's own row, locked until the commit. */
export async function ownRow(tx: WriteTx, { user_id }: Pick<Caller, 'user_id'>): Promise<Row<'user_profile'>> {
  const user = await tx.find('user_profile', '', user_id)
  if (!user) throw common.unauthenticated()
  return user
}

/** The profile as clients see it (decisions §3). */
export function toProfile(caller: Caller, pending: Profile['pending_join_request'], services: Pick<Services, 'config' | 'keys'>): Profile {
  const { user_id: id, email, first_name, last_name, role, school_id, school_name } = caller
  return {
    id,
    email,
    first_name,
    last_name,
    role,
    // Built from the stored object, so that it names the server that replies (decisions §6).
    avatar_url: avatarUrl(services, { ...caller, id }),
    school_id,
    school: school_id ? { id: school_id, name: school_name ?? '' } : null,
    is_onboarded: first_name !== null && last_name !== null,
    pending_join_request: pending,
  }
}

/**
 * The profile of a caller. Without a pending request it is built from what the guard has read. With one, the app polls every few seconds:
 * the profile is then cached under everything that the guard has just read of it, so that a cached one is never outdated. Rights are never
 * read from it.
 */
export async function profileOf(services: Pick<Services, 'cache' | 'store' | 'config' | 'keys'>, caller: Caller): Promise<Profile> {
  const profile = toProfile(caller, null, services)
  if (caller.pending_stamp === null) return profile
  const { cache, store } = services
  const key = `profile:${caller.user_id}`
  const stamp = JSON.stringify({ ...caller, session_id: null, picture: profile.avatar_url })
  const kept = await cache.get<Profile>(key, stamp)
  if (kept) return kept
  const [pending] = await store.read(asSystem(), (tx) => newestPendingRequest(tx, { user: caller.user_id }))
  const waiting = { ...profile, pending_join_request: pending ?? null }
  await cache.set(key, waiting, limits.cache.profileMs, stamp)
  return waiting
}
