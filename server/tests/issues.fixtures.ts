import { naturalId } from '@markbook/shared/ids'
import { elan, mathsExam, mathsQuiz, oisin, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { NEW_PEER } from '../replication/identity/enrolment.ts'
import type { Store } from '../store/store.ts'
import { asSystem, type WriteTx } from '../store/tx.ts'

const LAPTOP = '01890000-0000-7000-8000-00000000a1a1'
const NEXT = '01890000-0000-7000-8000-00000000a1a2'
const OFFICE = '01890000-0000-7000-8000-00000000a1a3'
const gradeOf = (assessment: { id: string }, pupil: { id: string }) => naturalId('grade', assessment.id, pupil.id)
export const marks = { zoe: gradeOf(mathsExam, zoe), elan: gradeOf(mathsQuiz, elan) }

const conflict = (row_id: string, unit: string, value: Record<string, unknown> | null, at: string, counter = 3) => ({
  id: naturalId('conflict', 'grade', row_id, unit, value ? 'value' : 'delete', '', LAPTOP, String(counter)),
  school_id: stBrigids,
  entity: 'grade',
  row_id,
  unit,
  kind: value ? ('value' as const) : ('delete' as const),
  reason: null,
  value,
  node_id: LAPTOP,
  counter,
  hlc: Date.parse(at),
  actor_id: people.ada.id,
  status: 'open' as const,
  resolved_at: null,
  resolved_by: null,
  resolution: null,
})

const laptop = (id: string, name: string, enrolled_at: string, last_seen_at: string, clock_offset: number | null = null) => ({
  ...NEW_PEER,
  id,
  side: 'child' as const,
  kind: 'laptop' as const,
  name,
  school_id: stBrigids,
  user_id: people.ada.id,
  node_id: id,
  public_key: '',
  box_key: '',
  enrolled_at,
  last_seen_at,
  clock_offset,
})

const refusal = (id: string, code: string, value: Record<string, unknown> | null, peer_id: string | null) => ({
  id,
  school_id: stBrigids,
  table_name: 'grade',
  row_id: marks.zoe,
  unit: 'score',
  value,
  actor_id: people.ada.id,
  hlc: Date.parse('2026-01-09T15:00:00.000Z'),
  code,
  refused_at: '2026-01-09T15:00:01.000Z',
  seen_at: null,
  peer_id,
})

/** At a school with the story: something of each kind that people must look at. */
export async function furnishIssues(store: Store): Promise<void> {
  await store.write(asSystem(), async (tx: WriteTx) => {
    await tx.insert('sync_conflict', [
      conflict(marks.zoe, 'score', { score: 81 }, '2026-01-09T15:00:00.000Z'),
      conflict(marks.elan, 'remarks', { remarks: 'Hands in \u001b[31mnothing\u001b[0m' }, '2026-01-08T15:00:00.000Z'),
      conflict(gradeOf(mathsQuiz, zoe), 'row', null, '2026-01-07T15:00:00.000Z'),
    ])
    await tx.local
      .insert(tx.t.sync_peer)
      .values([
        laptop(LAPTOP, 'STAFF-PC-07', '2026-01-05T08:00:00.000Z', '2026-01-09T08:00:00.000Z', 3 * 3_600_000),
        laptop(NEXT, 'STAFF-PC-07 (2)', '2026-01-08T08:00:00.000Z', '2026-01-09T09:00:00.000Z'),
      ])
    await tx.local
      .insert(tx.t.sync_refused)
      .values([refusal(OFFICE, 'forbidden', { score: 99 }, LAPTOP), refusal(LAPTOP, 'not_yours', { score: 12 }, null)])
    const held = { school_id: stBrigids, table_name: 'grade', peer_id: null, since: '2026-01-09T15:00:00.000Z', tries: 2 }
    await tx.local
      .insert(tx.t.sync_held)
      .values({ ...held, row_id: gradeOf(mathsExam, oisin), state: '{}', reason: 'waits for its assessment' })
  })
}
