import { schoolFailures } from '@markbook/shared/contract/schools'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { activeSchool, closeOffer, offersTo } from './offers.ts'

/** A school as join requests show it. */
export type SchoolName = Pick<Row<'school'>, 'id' | 'name'>

const pendingOfUser = rowsBy('school_join_request', { user: 'user_id' }, { where: { status: 'pending' }, limit: 1 })

const membership = rowsBy('school_management', { user: 'user_id', school: 'school_id' })

/** A school that may be joined; 404 where it is absent or not active. Needs a transaction of the service (`as: 'system'`). */
export async function joinableSchool(tx: ReadTx, schoolId: string): Promise<SchoolName> {
  const [school] = await activeSchool(tx, { id: schoolId })
  if (!school) throw common.notFound()
  return school
}

/**
 * Starts a pending request (specification, «Join request»): 400 while any other of this person waits, in whatever school; 409 for
 * a member of that school, suspended or not. The person's row stays locked until the commit, so that of two requests made at once
 * only one can pass. Where the school's server has offered a place, this agrees to it, under the id of the request that waits for
 * an answer at that server (docs/decisions/0051). Needs a transaction of the service.
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
  return { ...request, school }
}
