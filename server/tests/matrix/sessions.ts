import type { sessions } from '@markbook/shared/contract/sessions'
import { storyId } from '@markbook/shared/story/ids'
import { hilltop, people, stBrigids } from '@markbook/shared/story/people'
import { asSystem } from '../../store/tx.ts'
import type { School } from '../../testing/school.ts'
import { ABSENT, everybody, type Rows, setupWrite } from './row.ts'

export const sessionIds = { own: storyId('request', 1, 91), hilltop: storyId('request', 2, 91) }
export const noticeIds = { own: storyId('request', 1, 92), hilltop: storyId('request', 2, 92) }

const AT = '2026-01-12T08:00:00.000Z'
const place = { program: 'Firefox', system: 'Windows', address: '192.0.2.9' }
const session = (id: string, user_id: string) => ({
  id,
  user_id,
  ...place,
  refresh_hash: id,
  previous_hash: null,
  rotated_at: null,
  generation: 0,
  created_at: AT,
  last_used_at: AT,
  expires_at: '2026-02-11T08:00:00.000Z',
  revoked_at: null,
})
const furnishings = [
  { school: stBrigids, user_id: people.okafor.id, session_id: sessionIds.own, notice_id: noticeIds.own },
  { school: hilltop, user_id: people.marker.id, session_id: sessionIds.hilltop, notice_id: noticeIds.hilltop },
]

/** Mrs Okafor, and the administrator of Hilltop, are signed in elsewhere too, and have not seen it yet. */
export async function furnishSessions(st: School, schools: readonly string[]): Promise<void> {
  await st.services.store.write(asSystem(), async (tx) => {
    for (const { user_id, session_id, notice_id } of furnishings.filter(({ school }) => schools.includes(school))) {
      await tx.local.insert(tx.t.session).values(session(session_id, user_id))
      await tx.local.insert(tx.t.account_notice).values({ id: notice_id, user_id, session_id, kind: 'sign_in', at: AT, ...place })
    }
  })
}

const nobodyElse = '404 404 404'
const owners = {
  own: '    404 404 404 404 ok  404',
  hilltop: '404 404 404 404 404 ok ',
  absent: ' 404 404 404 404 404 404',
}
const byId = (ids: { own: string; hilltop: string }) => {
  const of = (id: string) => ({ params: { id } })
  return {
    own: [of(ids.own), owners.own, nobodyElse],
    hilltop: [of(ids.hilltop), owners.hilltop, nobodyElse],
    absent: [of(ABSENT), owners.absent, nobodyElse],
  } as const
}

export const sessionRows: Rows<typeof sessions> = {
  list: { own: [{}, everybody] },
  end: byId(sessionIds),
  endOthers: { own: [{}, everybody] },
  endMembers: setupWrite((userId) => ({ params: { userId } }), { own: people.niamh.id, hilltop: people.markerTeacher.id }),
  notices: { own: [{}, everybody] },
  dismiss: byId(noticeIds),
}
