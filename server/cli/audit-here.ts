import { COMMONS } from '@markbook/shared/ids'
import type { Replicated } from '@markbook/shared/tables/tables'
import { namesInValues, namesOf } from '../features/replication/naming.ts'
import { peopleNamed } from '../features/replication/people.ts'
import { type Here, nodeNames } from '../features/replication/replication.queries.ts'
import { differing, type Found } from '../replication/audit/audit.found.ts'
import type { HistoryFault } from '../replication/audit/audit.history.ts'
import type { Disagreement } from '../replication/audit/audit.rows.ts'
import { asSystem, type ReadTx } from '../store/tx.ts'
import type { Console } from './console.ts'
import { personName, rowName, valuesText } from './replication-words.ts'

/** `name`: null for the people of all schools. */
export type AuditedSchool = { id: string; name: string | null }
export const PEOPLE: AuditedSchool = { id: COMMONS, name: null }

/** A disagreement for a head to read: the row, its values here and in the history, and who wrote them, when (ms) and at which server. */
export type DescribedDisagreement = {
  what: string
  entity: Replicated
  row: string
  why: Disagreement['why']
  here: string | null
  history: string | null
  by: { person: string; at: number; node: string | null } | null
}
/** `about`: the names of rows that the transaction wrote. */
export type DescribedFault = Pick<HistoryFault, 'kind' | 'at'> & { node: string | null; about: readonly string[] }

export type DescribedAudit = Omit<Found, 'disagreements' | 'wrong'> & {
  school: string | null
  disagreements: readonly DescribedDisagreement[]
  wrong: readonly DescribedFault[]
}

/** What an audit found in a school, with the names that this database has for its rows, nodes and people. */
export async function describeAudit({ store, config }: Console, school: AuditedSchool, found: Found): Promise<DescribedAudit> {
  const told = await store.read(asSystem(), (tx) => inWords(tx, { id: store.nodeId, name: config.nodeName }, school.id, found))
  return { school: school.name, ...found, ...told }
}

async function inWords(tx: ReadTx, here: Here, school: string, { disagreements, wrong }: Found) {
  const rows = [...disagreements, ...wrong.flatMap(({ entries }) => entries)].map(({ entity, row_id }) => ({ entity, row_id }))
  const where = await namesOf(tx, school, rows)
  const nodes = await nodeNames(tx, here)
  const actors = disagreements.flatMap(({ said, by }) => [said?.actor ?? null, by?.actor ?? null])
  const person = await peopleNamed(tx, null, actors)
  const values = disagreements.flatMap(({ here: stands, said }) => [stands, said?.values ?? null])
  const named = await namesInValues(tx, school, values)
  const text = (values: Disagreement['here']) => (values ? valuesText(values, { outOf: null, named }) : null)
  const nameOf = (row: { entity: string; row_id: string }) => rowName({ entity: row.entity, where: where(row) })
  return {
    disagreements: disagreements.map((each): DescribedDisagreement => {
      const { entity, row_id, why, said, by } = each
      const [stands, instead] = differing(each)
      return {
        what: nameOf(each),
        entity,
        row: row_id,
        why,
        here: text(stands),
        history: said && (said.values === null ? 'deleted' : text(instead)),
        by: said
          ? { person: personName(person(said.actor)), at: said.at, node: nodes.get(said.node) ?? null }
          : by && { person: personName(person(by.actor)), at: by.at, node: null },
      }
    }),
    wrong: wrong.map(
      ({ kind, node, at, entries }): DescribedFault => ({
        kind,
        at,
        node: node === null ? null : (nodes.get(node) ?? null),
        about: [...new Set(entries.map(nameOf))],
      }),
    ),
  }
}
