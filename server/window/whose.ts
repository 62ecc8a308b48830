import type { Here } from '@markbook/shared/contract/window'
import type { Row } from '@markbook/shared/tables/tables'
import { eq } from 'drizzle-orm'
import { parentsOf } from '../peers/enrolment.ts'
import { laptopOwner } from '../store/laptop.ts'
import type { ReadTx } from '../store/tx.ts'

type Profile = Row<'user_profile'>

/**
 * Whose computer this is (decision 310): of a laptop that has joined, whom its invitation named; else who began to work here first.
 * Null while nobody has, or while the one whom the invitation named has not been copied yet.
 */
export async function ownerOf(tx: ReadTx): Promise<Profile | null> {
  const { user_profile } = tx.t
  const [parent] = await parentsOf(tx)
  // Also after it has left its school.
  const named = await laptopOwner(tx)
  if (parent && !named) return null
  const wanted = tx.db.select().from(user_profile)
  const [owner] = named
    ? await wanted.where(eq(user_profile.id, named))
    : await wanted.orderBy(user_profile.created_at, user_profile.id).limit(1)
  return (owner as Profile | undefined) ?? null
}

export async function canJoin(tx: ReadTx): Promise<boolean> {
  const [parent] = await parentsOf(tx)
  return !parent && (await tx.db.$count(tx.t.school)) === 0
}

export async function lookHere(tx: ReadTx): Promise<Here> {
  const [parent] = await parentsOf(tx)
  const owner = await ownerOf(tx)
  const can_join = await canJoin(tx)
  const isThere = parent?.user_id ? owner !== null && (await hasCopied(tx, parent, owner)) : true
  const state = parent ? (isThere ? 'joined' : 'copying') : owner ? 'alone' : 'empty'
  const person = owner && { email: owner.email, first_name: owner.first_name, last_name: owner.last_name }
  return { state, can_join, parent: parent ? { name: parent.name } : null, person }
}

/** Their place in the school must have come too: without it they would be asked to found one. */
async function hasCopied(tx: ReadTx, { school_id }: Row<'sync_peer'>, { id }: Profile): Promise<boolean> {
  const { school_management } = tx.t
  const places = await tx.db.select().from(school_management).where(eq(school_management.user_id, id))
  return (places as Row<'school_management'>[]).some((place) => place.school_id === school_id)
}
