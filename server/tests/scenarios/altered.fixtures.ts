import { mathsExam } from '@markbook/shared/story/marks'
import { type PersonName, people, stBrigids } from '@markbook/shared/story/people'
import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import type { Values } from '@markbook/sync/merge/state'
import { packEntries } from '@markbook/sync/protocol/entries'
import type { RowAnswer } from '@markbook/sync/protocol/messages'
import { type Carried, packRows, unpackRows } from '@markbook/sync/protocol/page'
import { EXISTENCE, type Stamp } from '@markbook/sync/versions'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import { Child } from '../../replication/upstream/child.ts'
import { knownRows } from '../../store/replica/states.ts'
import { asSystem } from '../../store/tx.ts'
import { lineOf } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'

type Change = (row: Carried) => readonly Carried[]

/** A node whose program somebody has altered: what it says is changed on its way, and the answers are thrown away. */
export async function liar(node: School, parent: School) {
  const [peer] = await node.services.store.read(asSystem(), parentsOf)
  if (!peer) throw new Error('it has no parent')
  const line = await lineOf(node, parent)
  const child = new Child(node.services, peer.id, line)
  return {
    child,
    /** All that is new on the node goes up, changed. */
    async says(change: Change) {
      const { push } = await child.pageAfter(peer)
      const rows = unpackRows(push.tables).rows.flatMap(change)
      return line.push({ ...push, tables: packRows(rows) })
    },
    /** These rows go up alone, at this counter. */
    invents: (to: number, rows: readonly Carried[]) =>
      line.push({ from: to - 1, to, cursor: null, tables: packRows(rows), history: packEntries([]) }),
    /** The node's next page comes changed by its parent. */
    async hears(change: Change) {
      const page = await line.pull({ cursor: peer.their_cursor, scope: peer.scope, wait: 0 })
      return child.takePage(peer, { ...page, tables: packRows(unpackRows(page.tables).rows.flatMap(change)) }, { from: 'nowhere' })
    },
  }
}

/** The same row under another id. */
export const renamed = (id: string, { table, state }: Carried): Carried => ({
  table,
  state: { ...state, id, values: { ...state.values, id } },
})

export const mark = (pupil: { id: string }, score: number, exam = mathsExam) => ({
  body: { assessmentId: exam.id, grades: [{ studentId: pupil.id, score }] },
})
export const marksOf = async (node: School, pupil: { id: string }) =>
  (await node.rows('grade')).filter((row) => row.assessment_id === mathsExam.id && row.student_id === pupil.id).map(({ score }) => score)

const FIRST = 1_000
/** What a person's laptop says as their newest write to some units of a row, or to all of a new one. It claims to have seen what stands. */
export async function saysOf(who: PersonName, { server, laptop }: { server: School; laptop: School }) {
  const { invents } = await liar(laptop, server)
  let counter = FIRST
  type SpokenManner = { only?: readonly string[]; clock?: number; isDeleted?: boolean }
  return async (table: Replicated, id: string, values: Values, told: SpokenManner = {}): Promise<readonly RowAnswer[]> => {
    const { only, clock, isDeleted = false } = told
    counter += 1
    const known = (await server.services.store.read(asSystem(), (tx) => knownRows(tx, table, stBrigids, [id]))).get(id)?.state
    const stamp: Stamp = [laptop.services.store.nodeId, counter, clock ?? server.services.clock.now() + counter, people[who].id]
    const units = only ?? [EXISTENCE, ...Object.keys(descriptions[table].units)]
    const state = {
      id,
      schema: SCHEMA_VERSION,
      vv: { ...known?.vv, [stamp[0]]: counter },
      units: { ...known?.units, ...Object.fromEntries(units.map((unit) => [unit, stamp])) },
      alive: isDeleted ? [] : [[stamp[0], counter] as const],
      values: { ...known?.values, id, school_id: stBrigids, ...values },
      extra: null,
    }
    return (await invents(counter, [{ table, state }])).answers
  }
}
