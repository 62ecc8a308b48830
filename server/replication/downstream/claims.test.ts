import type { RowState } from '@markbook/sync/merge/state'
import { covers } from '@markbook/sync/versions'
import { expect, test } from 'vitest'
import type { KnownRow } from '../../store/replica/states.ts'
import { type Claiming, restOf } from './claims.ts'

const [SCHOOL, LAPTOP, CENTRE] = ['school', 'laptop', 'centre']
const values = { id: 'mark', score: 41, remarks: null }
/** A mark of the centre that the laptop has written anew. */
const here: RowState = {
  id: 'mark',
  schema: 9,
  vv: { [CENTRE]: 13, [LAPTOP]: 29 },
  units: { row: [CENTRE, 13, 1, null], score: [LAPTOP, 29, 2, 'ada'] },
  alive: [
    [CENTRE, 13],
    [LAPTOP, 29],
  ],
  values,
  extra: null,
}
/** The school deleted it after a later score, and was restored. */
const deleted: RowState = {
  ...here,
  vv: { [CENTRE]: 13, [LAPTOP]: 41, [SCHOOL]: 49 },
  units: { row: [SCHOOL, 49, 4, 'head'], score: [LAPTOP, 41, 3, 'ada'] },
  alive: [],
  values: { ...values, score: 42 },
}

/** Of a laptop that answers for `own`, where the history does not show what the deletion had seen. */
const claiming = (own: string) =>
  ({
    peer: { kind: 'laptop', node_id: own, user_id: 'ada' },
    judge: { epoch: 'now', hasSeenAll: async () => false },
    limits: () => (node: string) => (node === own ? 41 : 0),
    heard: new Map(),
    proofs: { seenOf: async (_table: string, _state: RowState, [, counter]: [string, number]) => counter, isMade: async () => false },
    mostPlausible: 1_000,
  }) as unknown as Claiming

test.each([
  [LAPTOP, 42, 41],
  ['another laptop', 41, 29],
])('a deletion that is not shown to have seen what stands here bears what its vector covers: from %s', async (own, score, counter) => {
  const rest = await restOf(claiming(own), 'grade', deleted, { state: here } as KnownRow, [])
  expect(rest?.values['score']).toBe(score)
  expect(rest?.units['score']?.slice(0, 2)).toEqual([LAPTOP, counter])
  for (const stamp of Object.values(rest?.units ?? {})) expect([rest?.vv ?? {}, here.vv].some((vv) => covers(vv, stamp))).toBe(true)
  expect(rest?.alive).toEqual(own === LAPTOP ? [[LAPTOP, 41]] : [])
})
