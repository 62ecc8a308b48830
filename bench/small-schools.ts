import { NEW_PEER } from '@markbook/server/replication/identity/enrolment'
import { nodeKeys } from '@markbook/server/replication/identity/keys'
import { insertByTable } from '@markbook/server/store/rows-by-table'
import { asSystem, type WriteTx } from '@markbook/server/store/tx'
import { COMMONS } from '@markbook/shared/ids'
import { cursorToText } from '@markbook/sync/protocol/cursor'
import { present, withStore } from './fill.ts'
import { SECRET } from './processes.ts'
import { type Marked, makeSchool } from './school.ts'

/** A school with one class of ten pupils, and its node, which is enrolled at the centre: what that node needs to replicate. */
export type SmallSchool = {
  id: string
  peer: string
  node: string
  teacher: string
  term: string
  assessment: string
  pupils: string[]
  /** The node's place in the feed after a copy of the school. */
  cursor: string
}

const { newId } = present
const PLAN = { newId, years: 1, classes: 1, pupils: 10, subjects: 1, assessments: 1, terms: ['michaelmas'] as const }

/** Enrols a school's server; its keys are derived from `SECRET`. */
export async function enrol(tx: WriteTx, school: string, name: string): Promise<{ peer: string; node: string }> {
  const [peer, node] = [newId(), newId()]
  const { publicKey: public_key, boxKey: box_key } = nodeKeys(SECRET, node)
  const enrolled = { side: 'child', kind: 'school', school_id: school, user_id: null, enrolled_at: tx.now } as const
  await tx.local.insert(tx.t.sync_peer).values({ ...NEW_PEER, ...enrolled, id: peer, name, node_id: node, public_key, box_key })
  return { peer, node }
}

/** Makes small schools, each with its node, in a central database whose server may be running. */
export const smallSchools = (url: string, count: number): Promise<SmallSchool[]> =>
  withStore({ url }, async (store) => {
    const schools: SmallSchool[] = []
    for (let number = 1; number <= count; number += 1) {
      const name = `Small School ${number}`
      const { id, head, marked, rows } = makeSchool({ ...PLAN, name, domain: `small${number}.example` })
      const { term, pupils, assessments } = marked[0] as Marked
      const { peer, node } = await store.write(asSystem(), async (tx) => {
        await insertByTable(tx, { ...rows, assessment: assessments })
        return enrol(tx, id, name)
      })
      const ids = { id, peer, node, teacher: head.id, term: term.id, pupils: pupils.map((pupil) => pupil.id) }
      schools.push({ ...ids, assessment: assessments[0]?.id ?? '', cursor: '' })
    }
    await store.read(asSystem(), async (tx) => {
      const people = (await tx.dialect.feedOf(tx.connection, COMMONS)).seq
      for (const school of schools) {
        const { seq } = await tx.dialect.feedOf(tx.connection, school.id)
        school.cursor = cursorToText({ kind: 'feed', epoch: store.nodeId, seq, people })
      }
    })
    return schools
  })
