import { replicationFailures } from '@markbook/shared/contract/replication'
import { schoolFailures } from '@markbook/shared/contract/schools'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import type { Config } from '../../config.ts'
import { laptopOwner } from '../../store/laptop.ts'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { activeAdminsOf, membersOf } from './members.queries.ts'

/** A person's membership of a school, locked where the transaction writes. */
export const membershipOf = rowsBy('school_management', { school: 'school_id', user: 'user_id' }, { lock: true })

/** The people of a school for other features, including suspended ones; unordered. */
export const peopleOfSchool = membersOf

/** Throws 409 where this member is the school's last active administrator. The caller has locked the school's row. */
export async function demandAnotherAdmin(tx: WriteTx, member: Row<'school_management'>): Promise<void> {
  if (member.role !== 'admin' || !member.is_active) return
  const admins = await activeAdminsOf(tx, { school: member.school_id })
  if (admins.every((admin) => admin.user_id === member.user_id)) throw schoolFailures.lastAdmin()
}

const PLACE = ['user_id', 'school_id'] as const
const membersAmongUsers = rowsBy('school_management', { users: { in: 'user_id' } }, { columns: PLACE, where: { is_active: true } })
const applicantsAmongUsers = rowsBy('school_join_request', { users: { in: 'user_id' } }, { columns: PLACE, where: { status: 'pending' } })

/** The users who are active members of this school, and those who are members, or have a pending request, elsewhere. */
async function placesOf(tx: ReadTx, school: string, users: readonly string[]): Promise<{ here: string[]; elsewhere: Set<string> }> {
  if (users.length === 0) return { here: [], elsewhere: new Set() }
  const among = { users: JSON.stringify(users) }
  const members = await membersAmongUsers(tx, among)
  const others = [...members, ...(await applicantsAmongUsers(tx, among))].filter(({ school_id }) => school_id !== school)
  return {
    here: members.filter(({ school_id }) => school_id === school).map(({ user_id }) => user_id),
    elsewhere: new Set(others.map(({ user_id }) => user_id)),
  }
}

/** The users who are active members of another school, or have a pending request to join one (docs/design/sign-in.md). */
export const peopleElsewhere = async (tx: ReadTx, school: string, users: readonly string[]): Promise<Set<string>> =>
  (await placesOf(tx, school, users)).elsewhere

/** The users who are active members of this school, without a membership or pending request elsewhere. */
export async function peopleOfOneSchool(tx: ReadTx, school: string, users: readonly string[]): Promise<Set<string>> {
  const { here, elsewhere } = await placesOf(tx, school, users)
  return new Set(here.filter((user) => !elsewhere.has(user)))
}

/**
 * A member of a school, active or not, whom an administrator lets in or signs out; 404 for anybody else. 409 on a laptop, where nobody
 * signs in but its owner.
 */
export async function memberOf(tx: WriteTx, schoolId: string, userId: string | undefined) {
  if ((await laptopOwner(tx)) !== null) throw replicationFailures.notOnALaptop()
  const profile = userId === undefined ? undefined : await tx.find('user_profile', '', userId)
  const [membership] = profile ? await membershipOf(tx, { school: schoolId, user: profile.id }) : []
  if (!profile || !membership) throw common.notFound()
  return profile
}

/** Whether no school can be founded on this node: the one of a dedicated node exists, or this is a person's laptop. */
export const isFoundingOver = async (tx: ReadTx, { dedicated }: Pick<Config, 'dedicated'>): Promise<boolean> =>
  (dedicated && (await tx.db.$count(tx.t.school)) > 0) || (await laptopOwner(tx)) !== null
