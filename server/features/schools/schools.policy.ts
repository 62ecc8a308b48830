import { schoolFailures } from '@markbook/shared/contract/schools'
import type { Row } from '@markbook/shared/tables/tables'
import { and, eq } from 'drizzle-orm'
import { rowsBy, statement } from '../../store/statement.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { activeAdminsOf } from './members.queries.ts'

/** A person's membership of a school, locked where the transaction writes. */
export const membershipOf = rowsBy('school_management', { school: 'school_id', user: 'user_id' }, { lock: true })

/** 409 where this member is the school's last active administrator. The caller holds the school's row locked. */
export async function demandAnotherAdmin(tx: WriteTx, member: Row<'school_management'>): Promise<void> {
  if (member.role !== 'admin' || !member.is_active) return
  const admins = await activeAdminsOf(tx, { school: member.school_id })
  if (admins.every((admin) => admin.user_id === member.user_id)) throw schoolFailures.lastAdmin()
}

const membersAmongUsers = statement<{ users: string }>()(({ db, t: { school_management: of }, p, dialect }) =>
  db
    .select({ user: of.user_id, school: of.school_id })
    .from(of)
    .where(and(eq(of.is_active, true), dialect.inList(of.user_id, p.users))),
)
const applicantsAmongUsers = statement<{ users: string }>()(({ db, t: { school_join_request: of }, p, dialect }) =>
  db
    .select({ user: of.user_id, school: of.school_id })
    .from(of)
    .where(and(eq(of.status, 'pending'), dialect.inList(of.user_id, p.users))),
)

type UserAtSchool = { user: string; school: string }
const membersAndApplicants = async (
  tx: ReadTx,
  users: readonly string[],
): Promise<{ members: UserAtSchool[]; applicants: UserAtSchool[] }> => {
  if (users.length === 0) return { members: [], applicants: [] }
  const among = { users: JSON.stringify(users) }
  return { members: await membersAmongUsers(tx, among), applicants: await applicantsAmongUsers(tx, among) }
}

/** Those of the users who are active members of another school, or have a pending request to join one (docs/design/sign-in.md). */
export async function peopleElsewhere(tx: ReadTx, school: string, users: readonly string[]): Promise<Set<string>> {
  const { members, applicants } = await membersAndApplicants(tx, users)
  return new Set([...members, ...applicants].filter((each) => each.school !== school).map(({ user }) => user))
}

/** Those of the users who are active members of this school, and of no other by membership or pending request. */
export async function peopleOfOneSchool(tx: ReadTx, school: string, users: readonly string[]): Promise<Set<string>> {
  const { members, applicants } = await membersAndApplicants(tx, users)
  const elsewhere = new Set([...members, ...applicants].filter((each) => each.school !== school).map(({ user }) => user))
  return new Set(members.filter((each) => each.school === school && !elsewhere.has(each.user)).map(({ user }) => user))
}
