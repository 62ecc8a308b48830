import { schoolFailures, schools } from '@markbook/shared/contract/schools'
import { type JoinRequestMove, moveJoinRequest } from '@markbook/shared/domain/join-request-moves'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { type Handlers, on, onGuard } from '../../http/handler.ts'
import type { WriteTx } from '../../store/tx.ts'
import { closeInvitation, openInvitations } from './invitations.policy.ts'
import { accept, joinableSchool, requestToJoin } from './join-requests.policy.ts'
import { closeOffer, offersTo } from './offers.policy.ts'
import { queueOf, requestById } from './schools.queries.ts'

type Request = Row<'school_join_request'>

/** Loads a request with its requester, both locked, the person first, as everywhere. 404 where it does not exist. */
async function lockedRequest(tx: WriteTx, id: string, refuse: (request: Pick<Request, 'school_id' | 'user_id'>) => void) {
  const [known] = await requestById(tx, { id })
  if (!known) throw common.notFound()
  refuse(known)
  const requester = await tx.find('user_profile', '', known.user_id)
  const request = await tx.find('school_join_request', known.school_id, known.id)
  if (!requester || !request) throw common.notFound()
  return { request, requester }
}

/** For an administrator: 403 for a request to another school (specification, «Errors»). */
const ownQueue = (schoolId: string) => (request: Pick<Request, 'school_id'>) => {
  if (request.school_id !== schoolId) throw schoolFailures.foreignRequest()
}

const demandMove = (request: Request, move: JoinRequestMove) => {
  if (moveJoinRequest(request.status, move) === null) throw schoolFailures.alreadyReviewed()
}

export const joinRequestHandlers = {
  requestToJoin: on(schools.requestToJoin, {
    as: 'system',
    load: ({ tx }, { params }) => joinableSchool(tx, params.schoolId),
    run: ({ tx, caller }, { body }, school) => requestToJoin(tx, caller.user_id, school, body.message ?? null),
  }),

  offers: onGuard(
    schools.offers,
    async ({ tx, caller }) => [
      ...(await openInvitations(tx, caller.email)).map(({ school, role, invited_at }) => ({
        school,
        role,
        offered_at: invited_at,
        is_invitation: true,
      })),
      ...(await offersTo(tx, caller.user_id)).map(({ school, role, offered_at }) => ({ school, role, offered_at })),
    ],
    'system',
  ),

  declineOffer: on(schools.declineOffer, {
    as: 'system',
    load: async ({ tx, caller }, { params }) => {
      await tx.find('user_profile', '', caller.user_id)
      const invitation = (await openInvitations(tx, caller.email)).find(({ school_id }) => school_id === params.schoolId)
      const offer = (await offersTo(tx, caller.user_id)).find(({ school }) => school.id === params.schoolId)
      if (!invitation && !offer) throw common.notFound()
      return { invitation, offer }
    },
    run: async ({ tx }, _input, { invitation, offer }) => {
      if (invitation) await closeInvitation(tx, invitation, 'delete')
      if (offer) await closeOffer(tx, offer)
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
      return accept(tx, request, requester, { role: body.role, by: tx.actor })
    },
  }),

  reject: on(schools.reject, {
    as: 'system',
    load: ({ tx, caller }, { params }) => lockedRequest(tx, params.requestId, ownQueue(caller.school_id)),
    run: async ({ tx }, _input, { request }) => {
      demandMove(request, 'reject')
      return tx.update('school_join_request', request, { status: 'rejected', reviewed_at: tx.now, reviewed_by: tx.actor })
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
