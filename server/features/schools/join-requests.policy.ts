import { schoolFailures } from '@markbook/shared/contract/schools'
import { common } from '@markbook/shared/failures'
import { naturalId } from '@markbook/shared/ids'
import type { Row } from '@markbook/shared/tables/tables'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { closeInvitation, invitationTo, openInvitations } from './invitations.policy.ts'
import { activeSchool, closeOffer, offersTo } from './offers.policy.ts'
import { demandAnotherAdmin, membershipOf } from './schools.policy.ts'

type Request = Row<'school_join_request'>
type Role = Row<'school_management'>['role']
/** A school as shown with join requests. */
export type SchoolName = Pick<Row<'school'>, 'id' | 'name'>

const pendingOfUser = rowsBy('school_join_request', { user: 'user_id' }, { where: { status: 'pending' }, limit: 1 })

/** An active school, which may be joined; else 404. Needs a transaction of the service (`as: 'system'`). */
export async function joinableSchool(tx: ReadTx, schoolId: string): Promise<SchoolName> {
  const [school] = await activeSchool(tx, { id: schoolId })
  if (!school) throw common.notFound()
  return school
}

/**
 * Creates a pending request (specification, «Join request»): 400 while any other request of this person is pending, in any school; 409 for
 * a member of that school, suspended or not. The person's row stays locked until the commit, so that only one of concurrent requests
 * passes. Where the school's server has offered a place, the request agrees to it, under the id of the request that is pending at that
 * server (docs/decisions/0051). A person with an invitation is accepted at once. Needs a transaction of the service.
 */
export async function requestToJoin(
  tx: WriteTx,
  userId: string,
  school: SchoolName,
  message: string | null,
): Promise<Request & { school: SchoolName }> {
  const user = await tx.find('user_profile', '', userId)
  if (!user) throw common.notFound()
  if ((await pendingOfUser(tx, { user: userId })).length > 0) throw schoolFailures.pendingRequest()
  if ((await membershipOf(tx, { user: userId, school: school.id })).length > 0) throw schoolFailures.alreadyMember()
  const place = { school_id: school.id, user_id: userId }
  const offer = (await offersTo(tx, userId)).find((each) => each.school.id === school.id)
  if (offer) await closeOffer(tx, offer)
  const request = await tx.insert('school_join_request', {
    id: offer?.requestId ?? tx.newId(),
    ...place,
    status: 'pending',
    message,
    requested_at: tx.now,
  })
  const invitation = (await openInvitations(tx, user.email)).find(({ school_id }) => school_id === school.id)
  if (!invitation) return { ...request, school }
  return { ...(await accept(tx, request, user, { role: invitation.role, by: invitation.invited_by })), school }
}

/**
 * Makes the requester an active member with a role, and the school their active one. An existing membership, even a suspended one, gets
 * the role. `by` answered the request.
 */
export async function accept(
  tx: WriteTx,
  request: Request,
  requester: Row<'user_profile'>,
  { role, by }: { role: Role; by: string | null },
) {
  const { school_id, user_id } = request
  const [before] = await membershipOf(tx, { school: school_id, user: user_id })
  if (before) {
    if (role !== 'admin') await demandAnotherAdmin(tx, before)
    await tx.update('school_management', before, { role, is_active: true })
  } else {
    const id = naturalId('membership', user_id, school_id)
    await tx.insert('school_management', { id, school_id, user_id, role, is_active: true })
  }
  await tx.update('user_profile', requester, { school_id })
  const [invitation] = await invitationTo(tx, { school: school_id, email: requester.email })
  if (invitation) await closeInvitation(tx, invitation, 'update')
  return tx.update('school_join_request', request, { status: 'approved', reviewed_at: tx.now, reviewed_by: by })
}
