import { schoolFailures } from '@markbook/shared/contract/schools'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { and, eq } from 'drizzle-orm'
import { statement } from '../../store/statement.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'

/** A school as join requests show it. */
export type SchoolName = Pick<Row<'school'>, 'id' | 'name'>

const activeSchool = statement<{ id: string }>()(({ db, t, p }) =>
  db
    .select({ id: t.school.id, name: t.school.name })
    .from(t.school)
    .where(and(eq(t.school.id, p.id), eq(t.school.is_active, true))),
)

const pendingOfUser = statement<{ user: string }>()(({ db, t, p }) =>
  db
    .select({ id: t.school_join_request.id })
    .from(t.school_join_request)
    .where(and(eq(t.school_join_request.user_id, p.user), eq(t.school_join_request.status, 'pending')))
    .limit(1),
)

const membership = statement<{ user: string; school: string }>()(({ db, t, p }) =>
  db
    .select({ id: t.school_management.id })
    .from(t.school_management)
    .where(and(eq(t.school_management.user_id, p.user), eq(t.school_management.school_id, p.school))),
)

/** A school that may be joined; 404 where it is absent or not active. Needs a transaction of the service (`as: 'system'`). */
export async function joinableSchool(tx: ReadTx, schoolId: string): Promise<SchoolName> {
  const [school] = await activeSchool(tx, { id: schoolId })
  if (!school) throw common.notFound()
  return school
}

/**
 * Starts a pending request (specification, «Join request»): 400 while any other of this person waits, in whatever school; 409 for
 * a member of that school, suspended or not. The person's row stays locked until the commit, so that of two requests made at once
 * only one can pass. Needs a transaction of the service.
 */
export async function requestToJoin(
  tx: WriteTx,
  userId: string,
  school: SchoolName,
  message: string | null,
): Promise<Row<'school_join_request'> & { school: SchoolName }> {
  await tx.find('user_profile', '', userId)
  if ((await pendingOfUser(tx, { user: userId })).length > 0) throw schoolFailures.pendingRequest()
  if ((await membership(tx, { user: userId, school: school.id })).length > 0) throw schoolFailures.alreadyMember()
  const row = {
    id: tx.newId(),
    school_id: school.id,
    user_id: userId,
    status: 'pending' as const,
    message,
    requested_at: tx.now,
    reviewed_at: null,
    reviewed_by: null,
  }
  const [request] = await tx.insert('school_join_request', [row])
  return { ...(request as Row<'school_join_request'>), school }
}
