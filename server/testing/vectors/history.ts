import { toInstant } from '@markbook/shared/clock'
import { changesToText } from '@markbook/shared/tables/changes'
import { descriptions } from '@markbook/shared/tables/tables'
import { detailOf } from '@markbook/sync/journal'
import type { HistoryEntry } from '@markbook/sync/protocol/entries'
import { PENDING, stamp } from '@markbook/sync/stamp'
import { EXISTENCE, type Versions } from '@markbook/sync/versions'
import { signText } from '../../replication/identity/keys.ts'
import { digestOfEntry, historyText } from '../../replication/journal/signed-history.ts'
import { digestOf, headAfter } from '../../store/history-chain.ts'
import { type AnyRow, actionOf, changesOf, claimsOf, nearIdOf, type RowChange, rowOf } from '../../store/row-changes.ts'
import { keys, NODE } from './keys.ts'
import { hill, markOf, quiz, teacher, zoe } from './small-school.ts'

/**
 * Transactions of one node: their digests, heads, signed texts and proofs, also where one of two entries is not sent; and the life of a
 * mark, with the versions after each write.
 */
export function signedHistory() {
  const first = [entry(1, {})]
  const second = [
    entry(2, { node_seq: 2, changes: '{"before":{"score":8},"after":{"score":7.5}}', detail: '{"units":{"score":[1768205000000]}}' }),
    entry(3, { node_seq: 2, entity: 'assessment', row_id: quiz, changes: '{"before":{"title":"Fractions"},"after":{"title":"Halves"}}' }),
  ]
  const life = lifeOfAMark()
  let head = ''
  return [first, second, ...life.map(({ written }) => [written])].map((transaction, at) => {
    const before = head
    head = headAfter(before, digestOf(transaction))
    const entries = transaction.map((each) => ({ ...each, head }))
    const digests = entries.map(digestOfEntry)
    const text = historyText(hill, entries[0] as HistoryEntry, digests)
    const signature = signText(text, keys)
    return {
      entries,
      state: life[at - 2]?.state,
      chain: { before, digest: digestOf(transaction), head },
      digests,
      school: hill,
      text,
      proof: JSON.stringify([signature]),
      ...(digests.length > 1 && { proof_without_the_second: JSON.stringify([signature, ...digests.slice(1)]) }),
    }
  })
}

const entry = (id: number, more: Partial<HistoryEntry>): HistoryEntry => ({
  id: `01900000-0000-7000-8000-0000000001${String(id).padStart(2, '0')}`,
  at: '2026-01-12T08:01:00.000Z',
  actor_id: teacher.id,
  node_id: NODE,
  entity: 'grade',
  row_id: markOf(zoe),
  near_id: quiz,
  action: 'update',
  changes: '{"before":{"score":6},"after":{"score":8}}',
  detail: null,
  node_seq: 1,
  head: '',
  proof: null,
  ...more,
})

/** A mark is made, left out, given another reason, deleted and made again. */
function lifeOfAMark() {
  const row = (at: string, more: object): AnyRow => ({
    id: markOf(zoe),
    school_id: hill,
    assessment_id: quiz,
    student_id: zoe,
    created_by: teacher.id,
    created_at: at,
    score: 6,
    status: null,
    remarks: null,
    is_excluded: false,
    exclusion_reason: null,
    ...more,
  })
  const [made, again] = ['2026-01-12T08:02:00.000Z', '2026-01-12T08:06:00.000Z'] as const
  const whole = [EXISTENCE, ...Object.keys(descriptions.grade.units)]
  const rows: [at: string, units: string[], after: AnyRow | null][] = [
    [made, whole, row(made, {})],
    ['2026-01-12T08:03:00.000Z', ['exclusion'], row(made, { is_excluded: true, exclusion_reason: 'ill' })],
    ['2026-01-12T08:04:00.000Z', ['exclusion'], row(made, { is_excluded: true, exclusion_reason: 'away' })],
    ['2026-01-12T08:05:00.000Z', [EXISTENCE], null],
    [again, whole, row(again, { score: 7 })],
  ]
  let before: AnyRow | null = null
  let versions: Versions | null = null
  return rows.map(([at, units, after], place) => {
    const counter = place + 3
    const change: RowChange = { entryId: '', table: 'grade', schoolId: hill, before, after, units: new Set(units) }
    const [action, nowMs, actor] = [actionOf(change) ?? 'delete', Date.parse(at), teacher.id]
    const pending = stamp(versions, { units, node: NODE, now: nowMs, actor, deletes: after === null })
    const changes = changesOf(change)
    const detail = detailOf({ table: 'grade', action, actor_id: actor, at: nowMs, changes, row: rowOf(change), stamps: pending.units })
    const written = entry(place + 4, {
      at: toInstant(nowMs),
      near_id: nearIdOf('grade', rowOf(change)),
      action,
      changes: changesToText(changes),
      detail: detail && JSON.stringify(detail),
      node_seq: counter,
    })
    versions = JSON.parse(JSON.stringify(pending).replaceAll(JSON.stringify(PENDING), String(counter))) as Versions
    const state = { ...versions, values: claimsOf(change) }
    before = after
    return { written, state }
  })
}
