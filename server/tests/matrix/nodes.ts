import type { replication } from '@markbook/shared/contract/replication'
import { hilltopExam, mathsQuiz } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { draftReport, hilltopReport } from '@markbook/shared/story/reports'
import { conflictIds, nodeIds, refusalIds } from './neighbour.sync.ts'
import { ABSENT, everybody, onlyAdmins, onlyStaff, type Rows, setupWrite, staffUse } from './row.ts'

const decided = (id: string) => ({ params: { id }, body: { choice: 'kept' } })
const seen = (id: string) => ({ params: { id } })
const ofBook = (reportId: string) => ({ query: { reportId } })
const laptopOf = (userId: string) => ({ body: { kind: 'laptop', userId } })

export const replicationRows: Rows<typeof replication> = {
  status: { own: [{}, onlyStaff] },
  events: { own: [{}, onlyStaff] },
  holdings: { own: [{}, everybody] },
  conflicts: { own: [{}, onlyStaff], open: [{ query: { status: 'open' } }, onlyStaff] },
  resolve: {
    own: [decided(conflictIds.own), '        403 ok  ok  403 ok  404'],
    // Of a row that is not there.
    gone: [decided(conflictIds.gone), '      403 403 403 403 409:sync.cannot_resolve 404'],
    resolved: [decided(conflictIds.resolved), '403 409:sync.cannot_resolve 409:sync.cannot_resolve 403 409:sync.cannot_resolve 404'],
    hilltop: [decided(conflictIds.hilltop), '403 404 404 404 404 ok '],
    absent: [decided(ABSENT), '              403 404 404 404 404 404'],
  },
  waiting: {
    ...staffUse((assessmentId) => ({ query: { assessmentId } }), { own: mathsQuiz.id, hilltop: hilltopExam.id }),
    all: [{}, onlyStaff],
  },
  files: {
    own: [ofBook(draftReport.id), '  403 403 ok  403 ok  404'],
    hilltop: [ofBook(hilltopReport.id), '403 404 404 404 404 ok '],
    absent: [ofBook(ABSENT), '       403 404 404 404 404 404'],
    all: [{}, onlyStaff],
  },
  held: { own: [{}, onlyAdmins] },
  refused: { own: [{}, onlyStaff] },
  seen: {
    // It is Ada's.
    own: [seen(refusalIds.own), '        403 ok  404 404 ok  404'],
    hilltop: [seen(refusalIds.hilltop), '403 404 404 404 404 ok '],
    absent: [seen(ABSENT), '            403 404 404 404 404 404'],
  },
  enter: {
    // Of a mark in her subject.
    own: [seen(refusalIds.own), '        403 ok  404 404 ok  404'],
    hilltop: [seen(refusalIds.hilltop), '403 404 404 404 404 ok '],
    absent: [seen(ABSENT), '            403 404 404 404 404 404'],
  },
  nodes: { own: [{}, onlyAdmins] },
  invite: {
    school: [{ body: { kind: 'school' } }, onlyAdmins],
    own: [laptopOf(people.ada.id), '                    403 403 403 403 ok                        404'],
    member: [laptopOf(people.niamh.id), '               403 403 403 403 409:sync.not_a_laptop_user 404'],
    suspended: [laptopOf(people.doyle.id), '            403 403 403 403 409:sync.not_a_laptop_user 404'],
    nobody: [{ body: { kind: 'laptop' } }, '            403 403 403 403 409:sync.not_a_laptop_user 409:sync.not_a_laptop_user'],
    hilltop: [laptopOf(people.markerTeacher.id), '      403 403 403 403 404                       ok '],
    absent: [laptopOf(ABSENT), '                        403 403 403 403 404                       404'],
  },
  join: {
    own: [{ body: { address: 'http://127.0.0.1:1', invitation: 'AAAAA' } }, '403 403 403 403 409:sync.no_answer 409:sync.no_answer'],
  },
  rename: setupWrite((id) => ({ params: { id }, body: { name: 'Library PC' } }), nodeIds),
  wipe: setupWrite((id) => ({ params: { id } }), nodeIds),
  revoke: setupWrite((id) => ({ params: { id } }), nodeIds),
}
