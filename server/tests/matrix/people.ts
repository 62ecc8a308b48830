import type { auth } from '@markbook/shared/contract/auth'
import type { invitations } from '@markbook/shared/contract/invitations'
import type { schools } from '@markbook/shared/contract/schools'
import { hilltop, people, stBrigids } from '@markbook/shared/story/people'
import { png } from '../../testing/pictures.ts'
import { invitationIds, requestIds } from './neighbour.ts'
import { ABSENT, everybody, onlyAdmins, type Row, type Rows, setupWrite } from './row.ts'

const names = { firstName: 'Sam', lastName: 'Byrne' }

export const authRows: Rows<typeof auth> = {
  sendOtp: { own: [{ body: { email: 'somebody@mail.example' } }, everybody] },
  verifyOtp: {
    own: [
      { body: { email: 'unknown@mail.example', token: '00000000' } },
      '400:otp_invalid 400:otp_invalid 400:otp_invalid 400:otp_invalid 400:otp_invalid 400:otp_invalid',
      '400:otp_invalid 400:otp_invalid 400:otp_invalid',
    ],
  },
  me: { own: [{}, everybody] },
  schools: { own: [{}, everybody] },
  refresh: { own: [{}, everybody] },
  onboard: {
    own: [{ body: names }, everybody],
    // Who has a school saves only the name; who waits for an answer may not ask again.
    withSchool: [{ body: { ...names, schoolId: stBrigids } }, everybody, 'ok  400:schools.pending_request ok'],
    hilltop: [{ body: { ...names, schoolId: hilltop } }, everybody, '    ok  400:schools.pending_request ok'],
    absent: [{ body: { ...names, schoolId: ABSENT } }, everybody, '      404 404 ok'],
  },
  updateProfile: {
    own: [{ body: names }, everybody],
    withSchool: [{ body: { schoolId: stBrigids } }, 'ok  ok  ok  ok  ok  403', '403 403 403'],
    hilltop: [{ body: { schoolId: hilltop } }, '     403 403 403 403 403 ok ', '403 403 403'],
    absent: [{ body: { schoolId: ABSENT } }, '       403 403 403 403 403 403', '403 403 403'],
  },
  // A code of nobody's; that a right one counts is for the tests of sign-in.
  prove: {
    own: [
      { body: { token: '00000000' } },
      '400:otp_invalid 400:otp_invalid 400:otp_invalid 400:otp_invalid 400:otp_invalid 400:otp_invalid',
      '400:otp_invalid 400:otp_invalid 400:otp_invalid',
    ],
  },
  logout: { own: [{}, everybody] },
}

/** Approving and rejecting: the one place where another school's row is 403 and not hidden (specification, «Errors»). */
const review = (body: { body?: { role: string } }): Row => {
  const of = (requestId: string) => ({ params: { requestId }, ...body })
  return {
    own: [of(requestIds.own), '        403 403 403 403 ok                          403:schools.foreign_request'],
    hilltop: [of(requestIds.hilltop), '403 403 403 403 403:schools.foreign_request ok'],
    absent: [of(ABSENT), '             403 403 403 403 404                         404'],
  }
}
const asked = (schoolId: string) => ({ params: { schoolId }, body: { message: 'From September, please.' } })
const member = 'schools.already_member'

export const schoolRows: Rows<typeof schools> = {
  list: { own: [{}, everybody] },
  create: { own: [{ body: { name: 'St Kevin’s', schoolType: 'primary' } }, '409 409 409 409 409 409', 'ok ok ok'] },
  mine: { own: [{}, everybody] },
  updateMine: { own: [{ body: { phone: '045 123456' } }, onlyAdmins] },
  putCrest: { own: [{ file: { name: 'crest.png', text: png(), type: 'image/png' } }, onlyAdmins] },
  addresses: { own: [{}, onlyAdmins] },
  backups: { own: [{}, onlyAdmins] },
  requestToJoin: {
    own: [asked(stBrigids), `409:${member} 409:${member} 409:${member} 409:${member} 409:${member} ok`, `ok 400 409:${member}`],
    hilltop: [asked(hilltop), `ok ok ok ok ok 409:${member}`, 'ok 400 ok'],
    absent: [asked(ABSENT), '404 404 404 404 404 404', '404 404 404'],
  },
  offers: { own: [{}, everybody] },
  declineOffer: { own: [{ params: { schoolId: stBrigids } }, '404 404 404 404 404 404', 'ok 404 404'] },
  joinRequests: { own: [{}, onlyAdmins] },
  approve: review({ body: { role: 'teacher' } }),
  reject: review({}),
  withdraw: {
    own: [{ params: { requestId: requestIds.own } }, '        404 404 404 404 404 404', '404 ok  404'],
    hilltop: [{ params: { requestId: requestIds.hilltop } }, '404 404 404 404 404 404', '404 404 404'],
    absent: [{ params: { requestId: ABSENT } }, '             404 404 404 404 404 404', '404 404 404'],
  },
  members: { own: [{}, onlyAdmins] },
  updateMember: setupWrite((userId) => ({ params: { userId }, body: { role: 'teacher' } }), {
    own: people.niamh.id,
    hilltop: people.markerTeacher.id,
  }),
  removeMember: {
    ...setupWrite((userId) => ({ params: { userId } }), { own: people.niamh.id, hilltop: people.markerTeacher.id }),
    // Who leads a class hands it over first.
    hilltop: [{ params: { userId: people.markerTeacher.id } }, '403 403 403 403 404                     409:schools.leads_classes'],
    classTeacher: [{ params: { userId: people.byrne.id } }, '    403 403 403 403 409:schools.leads_classes 404'],
    lastAdmin: [{ params: { userId: people.okafor.id } }, '     403 403 403 403 409:schools.last_admin    404'],
  },
}

export const invitationRows: Rows<typeof invitations> = {
  list: { own: [{}, onlyAdmins] },
  invite: { own: [{ body: { people: [{ email: 'new.teacher@mail.example', role: 'teacher' }] } }, onlyAdmins] },
  withdraw: setupWrite((id) => ({ params: { id } }), invitationIds),
}
