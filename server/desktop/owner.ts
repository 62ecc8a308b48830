import type { DesktopStatus } from '@markbook/shared/contract/desktop'
import type { Row } from '@markbook/shared/tables/tables'
import { eq } from 'drizzle-orm'
import { parentsOf } from '../replication/identity/enrolment.ts'
import { laptopOwner } from '../store/laptop.ts'
import type { ReadTx } from '../store/tx.ts'

type Profile = Row<'user_profile'>

/**
 * The owner of this computer (docs/design/desktop.md): on a laptop that joined a school, the person whom its invitation named; else the
 * first person who began here. Null while there is none, or while the named person's row has not been copied yet.
 */
export async function ownerOf(tx: ReadTx): Promise<Profile | null> {
  const { user_profile } = tx.t
  const [parent] = await parentsOf(tx)
  // Kept also after the laptop has left its school.
  const named = await laptopOwner(tx)
  if (parent && !named) return null
  const wanted = tx.db.select().from(user_profile)
  const [owner] = named
    ? await wanted.where(eq(user_profile.id, named))
    : await wanted.orderBy(user_profile.created_at, user_profile.id).limit(1)
  return (owner as Profile | undefined) ?? null
}

/** Whether this computer may join a school: it has no parent and no school yet. */
export async function canJoin(tx: ReadTx): Promise<boolean> {
  const [parent] = await parentsOf(tx)
  return !parent && (await tx.db.$count(tx.t.school)) === 0
}

/**
 * What the pairing page shows. `state`: `empty` without an owner, `alone` with one and without a parent, `copying` until the owner's rows
 * have arrived, then `joined`.
 */
export async function desktopStatus(tx: ReadTx): Promise<DesktopStatus> {
  const [parent] = await parentsOf(tx)
  const owner = await ownerOf(tx)
  const can_join = await canJoin(tx)
  const isThere = parent?.user_id ? owner !== null && (await hasCopied(tx, parent, owner)) : true
  const state = parent ? (isThere ? 'joined' : 'copying') : owner ? 'alone' : 'empty'
  const person = owner && { email: owner.email, first_name: owner.first_name, last_name: owner.last_name }
  return { state, can_join, parent: parent ? { name: parent.name } : null, person }
}

/** The membership must have been copied too: without it the app would offer to create a school. */
async function hasCopied(tx: ReadTx, { school_id }: Row<'sync_peer'>, { id }: Profile): Promise<boolean> {
  const { school_management } = tx.t
  const memberships = await tx.db.select().from(school_management).where(eq(school_management.user_id, id))
  return (memberships as Row<'school_management'>[]).some((membership) => membership.school_id === school_id)
}
