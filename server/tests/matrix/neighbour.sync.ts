import { naturalId } from '@markbook/shared/ids'
import { storyId } from '@markbook/shared/story/ids'
import { elan, hilltopExam, hilltopPupil, mathsQuiz, zoe } from '@markbook/shared/story/marks'
import { hilltop, people, stBrigids } from '@markbook/shared/story/people'
import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'
import { asSystem } from '../../store/tx.ts'
import type { School } from '../../testing/school.ts'

const OTHER_NODE = '00000000-0000-7000-8000-000000007777'
const gradeOf = (assessment: { id: string }, student: { id: string }) => naturalId('grade', assessment.id, student.id)

const rowIds = {
  own: gradeOf(mathsQuiz, elan),
  gone: storyId('request', 1, 79),
  resolved: gradeOf(mathsQuiz, zoe),
  hilltop: gradeOf(hilltopExam, hilltopPupil),
}
const conflictOf = (row: string) => naturalId('conflict', 'grade', row, 'score', 'value', '', OTHER_NODE, '3')
export const conflictIds = {
  own: conflictOf(rowIds.own),
  gone: conflictOf(rowIds.gone),
  resolved: conflictOf(rowIds.resolved),
  hilltop: conflictOf(rowIds.hilltop),
}
export const refusalIds = { own: storyId('request', 1, 60), hilltop: storyId('request', 2, 60) }
export const nodeIds = { own: storyId('request', 1, 70), hilltop: storyId('request', 2, 70) }

const conflict = (school_id: string, row_id: string, actor_id: string, status: 'open' | 'resolved' = 'open') => ({
  id: conflictOf(row_id),
  school_id,
  entity: 'grade',
  row_id,
  unit: 'score',
  kind: 'value' as const,
  reason: null,
  value: { score: 11 },
  node_id: OTHER_NODE,
  counter: 3,
  hlc: Date.parse('2026-01-09T15:00:00.000Z'),
  actor_id,
  status,
  resolved_at: null,
  resolved_by: null,
  resolution: null,
})
const conflicts = [
  conflict(stBrigids, rowIds.own, people.ada.id),
  conflict(stBrigids, rowIds.gone, people.byrne.id),
  conflict(stBrigids, rowIds.resolved, people.ada.id, 'resolved'),
  conflict(hilltop, rowIds.hilltop, people.markerTeacher.id),
]

const node = (id: string, school_id: string, name: string, user_id: string) => ({
  id,
  side: 'child' as const,
  kind: 'laptop' as const,
  name,
  school_id,
  user_id,
  node_id: id,
  url: null,
  place: 0,
  public_key: '',
  box_key: '',
  own_epoch: null,
  own_seq: 0,
  own_people: 0,
  their_epoch: null,
  their_cursor: null,
  highest_counter: 0,
  history_head: null,
  scope: null,
  clock_offset: null,
  session_nonce: null,
  session_number: 0,
  enrolled_at: '2026-01-09T15:00:00.000Z',
  last_seen_at: null,
  revoked_at: null,
})
/** A mark that came before its assessment, which never comes. */
const ROW = storyId('request', 1, 78)
const written = [OTHER_NODE, 2, Date.parse('2026-01-09T15:00:00.000Z'), null] as const
const early = (school_id: string) => ({
  id: ROW,
  schema: SCHEMA_VERSION,
  vv: { [OTHER_NODE]: 2 },
  units: { row: written, score: written },
  alive: [[OTHER_NODE, 2]],
  values: { id: ROW, school_id, assessment_id: storyId('request', 1, 77), student_id: zoe.id, score: 9 },
  extra: null,
})
const held = (school_id: string, reason: string) => ({
  school_id,
  table_name: 'grade',
  row_id: ROW,
  state: JSON.stringify(early(school_id)),
  reason,
  peer_id: null,
  since: '2026-01-09T15:00:00.000Z',
  tries: 2,
})
const refusal = (id: string, school_id: string, actor_id: string, code: string) => ({
  id,
  school_id,
  table_name: 'grade',
  row_id: school_id === hilltop ? rowIds.hilltop : rowIds.own,
  unit: 'score',
  value: { score: 12 },
  actor_id,
  hlc: Date.parse('2026-01-09T15:00:00.000Z'),
  code,
  refused_at: '2026-01-09T15:00:01.000Z',
  seen_at: null,
})

/** A place that the server of St Brigid's gave somebody who has not agreed. */
const offer = {
  ...refusal(storyId('request', 1, 79), stBrigids, people.okafor.id, 'awaits_person'),
  table_name: 'school_management',
  row_id: naturalId('membership', people.nobody.id, stBrigids),
  unit: 'role',
  value: { role: 'teacher' },
  peer_id: nodeIds.own,
}

/** What came of meeting other nodes, at both schools. */
export async function furnishNodes(st: School): Promise<void> {
  await st.services.store.write(asSystem(), (tx) => tx.insert('sync_conflict', conflicts))
  await furnishOwnNodes(st, [stBrigids, hilltop])
}

/** Of that, what a node keeps to itself. */
export async function furnishOwnNodes(st: School, schools: readonly string[]): Promise<void> {
  const isOfThem = ({ school_id }: { school_id: string }) => schools.includes(school_id)
  const nodes = [
    node(nodeIds.own, stBrigids, 'Ada’s laptop', people.ada.id),
    node(nodeIds.hilltop, hilltop, 'Hilltop-Marker laptop', people.markerTeacher.id),
  ]
  const refusals = [
    refusal(refusalIds.own, stBrigids, people.ada.id, 'forbidden'),
    refusal(refusalIds.hilltop, hilltop, people.markerTeacher.id, 'hilltop-marker'),
    offer,
  ]
  await st.services.store.write(asSystem(), async (tx) => {
    await tx.local.insert(tx.t.sync_peer).values(nodes.filter(isOfThem))
    await tx.local.insert(tx.t.sync_held).values([held(stBrigids, 'no parent'), held(hilltop, 'Hilltop-Marker reason')].filter(isOfThem))
    await tx.local.insert(tx.t.sync_refused).values(refusals.filter(isOfThem))
  })
}
