import type { Profile } from '@markbook/shared/contract/auth'
import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import { publicImageUrl } from '../../files/image-address.ts'
import type { Caller } from '../../http/caller.ts'
import type { Services } from '../../http/services.ts'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { newestPendingRequest } from './auth.queries.ts'

/** The caller of an endpoint that is for those who are signed in. */
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
export function toProfile(caller: Caller, pending: Profile['pending_join_request'], publicUrl: string): Profile {
  const { user_id: id, email, first_name, last_name, role, school_id, school_name, avatar_path, avatar_updated_at } = caller
  return {
    id,
    email,
    first_name,
    last_name,
    role,
    // Built from the stored object, so that it names the server that answers (decisions §6).
    avatar_url: avatar_path && publicImageUrl(publicUrl, avatar_path, avatar_updated_at),
    school_id,
    school: school_id ? { id: school_id, name: school_name ?? '' } : null,
    is_onboarded: first_name !== null && last_name !== null,
    pending_join_request: pending,
  }
}

/**
 * The profile of a caller. Who waits for nothing is answered from what the guard has read. Whoever waits to be let into a school
 * asks every few seconds: their profile is kept, stamped with all that it was made of as the guard has just read it, so that a
 * kept one can never be an old one. Rights are never read from it.
 */
export async function profileOf({ cache, store, config }: Pick<Services, 'cache' | 'store' | 'config'>, caller: Caller): Promise<Profile> {
  if (caller.pending_stamp === null) return toProfile(caller, null, config.publicUrl)
  const key = `profile:${caller.user_id}`
  const stamp = JSON.stringify({ ...caller, session_id: null, site: config.publicUrl })
  const kept = await cache.get<Profile>(key, stamp)
  if (kept) return kept
  const [pending] = await store.read(asSystem(), (tx) => newestPendingRequest(tx, { user: caller.user_id }))
  const profile = toProfile(caller, pending ?? null, config.publicUrl)
  await cache.set(key, profile, limits.cache.profile, stamp)
  return profile
}
