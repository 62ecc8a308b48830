import { schoolFailures, schools } from '@markbook/shared/contract/schools'
import { type JoinRequestMove, moveJoinRequest } from '@markbook/shared/domain/join-request-moves'
import { common } from '@markbook/shared/failures'
import { naturalId } from '@markbook/shared/ids'
import type { Row } from '@markbook/shared/tables/tables'
import { type Handlers, on, onGuard } from '../../http/handler.ts'
import type { WriteTx } from '../../store/tx.ts'
import { joinableSchool, requestToJoin } from './join-requests.policy.ts'
import { closeOffer, offersTo } from './offers.ts'
import { demandAnotherAdmin, membershipOf } from './schools.policy.ts'
import { queueOf, requestById } from './schools.queries.ts'

type Request = Row<'school_join_request'>

/** A request with its requester, both locked: the person first, as everywhere. 404 where it does not exist. */
async function lockedRequest(tx: WriteTx, id: string, refuse: (request: Pick<Request, 'school_id' | 'user_id'>) => void) {
  const [known] = await requestById(tx, { id })
  if (!known) throw common.notFound()
  refuse(known)
  const requester = await tx.find('user_profile', '', known.user_id)
  const request = await tx.find('school_join_request', known.school_id, known.id)
  if (!requester || !request) throw common.notFound()
  return { request, requester }
}

/** For an administrator: 403 where it is a request to another school (specification, «Errors»). */
const ownQueue = (schoolId: string) => (request: Pick<Request, 'school_id'>) => {
  if (request.school_id !== schoolId) throw schoolFailures.foreignRequest()
}

const demandMove = (request: Request, move: JoinRequestMove) => {
  if (moveJoinRequest(request.status, move) === null) throw schoolFailures.alreadyReviewed()
}

async function review(tx: WriteTx, request: Request, status: 'approved' | 'rejected'): Promise<Request> {
  const patch = { status, reviewed_at: tx.now, reviewed_by: tx.actor }
  return tx.update('school_join_request', request, patch)
}

/** Makes the person an active member; somebody who already is one (or was suspended) gets the role given. */
async function admit(tx: WriteTx, { school_id, user_id }: Request, role: Row<'school_management'>['role']) {
  const [before] = await membershipOf(tx, { school: school_id, user: user_id })
  if (!before) {
    await tx.insert('school_management', { id: naturalId('membership', user_id, school_id), school_id, user_id, role, is_active: true })
    return
  }
  if (role !== 'admin') await demandAnotherAdmin(tx, before)
  await tx.update('school_management', before, { role, is_active: true })
}

export const joinRequestHandlers = {
  requestToJoin: on(schools.requestToJoin, {
    as: 'system',
    load: ({ tx }, { params }) => joinableSchool(tx, params.schoolId),
    run: ({ tx, caller }, { body }, school) => requestToJoin(tx, caller.user_id, school, body.message ?? null),
  }),

  offers: onGuard(
    schools.offers,
    async ({ tx, caller }) => (await offersTo(tx, caller.user_id)).map(({ school, role, offered_at }) => ({ school, role, offered_at })),
    'system',
  ),

  declineOffer: on(schools.declineOffer, {
    as: 'system',
    load: async ({ tx, caller }, { params }) => {
      await tx.find('user_profile', '', caller.user_id)
      const offer = (await offersTo(tx, caller.user_id)).find(({ school }) => school.id === params.schoolId)
      if (!offer) throw common.notFound()
      return offer
    },
    run: async ({ tx }, _input, offer) => {
      await closeOffer(tx, offer)
      return { message: 'You declined the place in this school.' }
    },
  }),

  joinRequests: onGuard(schools.joinRequests, ({ tx, caller }) => queueOf(tx, { school: caller.school_id }), 'system'),

  approve: on(schools.approve, {
    as: 'system',
    load: async ({ tx, caller }, { params }) => {
      await tx.find('school', caller.school_id, caller.school_id)
      return lockedRequest(tx, params.requestId, ownQueue(caller.school_id))
    },
    run: async ({ tx }, { body }, { request, requester }) => {
      demandMove(request, 'approve')
      await admit(tx, request, body.role)
      await tx.update('user_profile', requester, { school_id: request.school_id })
      return review(tx, request, 'approved')
    },
  }),

  reject: on(schools.reject, {
    as: 'system',
    load: ({ tx, caller }, { params }) => lockedRequest(tx, params.requestId, ownQueue(caller.school_id)),
    run: async ({ tx }, _input, { request }) => {
      demandMove(request, 'reject')
      return review(tx, request, 'rejected')
    },
  }),

  withdraw: on(schools.withdraw, {
    as: 'system',
    load: ({ tx, caller }, { params }) =>
      lockedRequest(tx, params.requestId, (request) => {
        if (request.user_id !== caller.user_id) throw common.notFound()
      }),
    run: async ({ tx }, _input, { request }) => {
      demandMove(request, 'withdraw')
      await tx.remove('school_join_request', [request])
      return { message: 'Your request was withdrawn.' }
    },
  }),
} satisfies Partial<Handlers<typeof schools>>
