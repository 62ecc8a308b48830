import type { signInMethods } from '@markbook/shared/contract/sign-in-methods'
import { people } from '@markbook/shared/story/people'
import { ABSENT, everybody, onlyAdmins, type Rows, setupWrite } from './row.ts'

const forMember = (userId: string) => ({ body: { userId } })

export const signInMethodRows: Rows<typeof signInMethods> = {
  ways: { own: [{}, everybody] },
  ownWays: { own: [{}, everybody] },
  enrolTotp: { own: [{}, everybody] },
  // Without an enrolment there is nothing to confirm; that the right code of one does is for the tests of sign-in.
  confirmTotp: { own: [{ body: { token: '00000000' } }, '409 409 409 409 409 409', '409 409 409'] },
  removeTotp: { own: [{}, everybody] },
  newRecoveryCodes: { own: [{}, everybody] },
  // Nobody of the story has an app. Mrs Okafor, and the administrator of Hilltop, have a passkey.
  askForSecond: { own: [{}, '409 409 409 409 ok ok', '409 409 409'] },
  askForNoSecond: { own: [{}, everybody] },
  deskCodes: { own: [{}, onlyAdmins] },
  issueDeskCode: {
    own: [forMember(people.niamh.id), '             403 403 403 403 ok                        404'],
    hilltop: [forMember(people.markerTeacher.id), ' 403 403 403 403 404                       ok '],
    absent: [forMember(ABSENT), '                   403 403 403 403 404                       404'],
    admin: [forMember(people.okafor.id), '          403 403 403 403 403:auth.not_at_the_desk  404'],
    suspended: [forMember(people.doyle.id), '       403 403 403 403 403:auth.not_at_the_desk  404'],
    withoutSchool: [forMember(people.nobody.id), '  403 403 403 403 404                       404'],
  },
  resetSignIn: setupWrite((userId) => ({ params: { userId } }), { own: people.niamh.id, hilltop: people.markerTeacher.id }),
}
