import { stBrigids } from '@markbook/shared/story/people'
import { and, asc, eq, isNull } from 'drizzle-orm'
import { childrenAsWitnesses, parentAsWitness } from '../../replication/audit/audit.heads.ts'
import { type Audit, audit } from '../../replication/audit/audit.ts'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import type { Carrier } from '../../replication/line/parent-line.ts'
import { digestOf, headAfter } from '../../store/history-chain.ts'
import { asSystem } from '../../store/tx.ts'
import type { School } from '../../testing/school.ts'
import { tamper } from '../../testing/tamper.ts'

export const auditOf = ({ services: { store, config, files } }: School, school: string = stBrigids): Promise<Audit> =>
  audit(store, { school, secret: config.sessionSecret, files })

/** Everything that is wrong, in short; nothing where all is well. */
export const wrongIn = ({ disagreements, wrong }: Audit): string[] => [
  ...disagreements.map(({ entity, why }) => `${entity} ${why}`),
  ...wrong.map(({ kind }) => kind),
]

/** What each child of a node knows of it, by name. */
export const childrenOf = async ({ services: { store, keys } }: School) => {
  const all = await store.read(asSystem(), (tx) => childrenAsWitnesses(tx, stBrigids, store.nodeId, keys.seal))
  return all.map(({ is }) => is)
}

/** What its first parent says when it is asked. */
export async function askedAbove(node: School, carry: Carrier) {
  const [parent] = await node.services.store.read(asSystem(), parentsOf)
  if (!parent) throw new Error('this node has no parent')
  return (await parentAsWitness(node.services, parent, carry)).is
}

/** Computes the own chain of a school anew, as somebody does who knows how it is made. */
export async function chainAnew(node: School): Promise<void> {
  const { store } = node.services
  const entries = await store.read(asSystem(), (tx) => {
    const { history } = tx.t
    return tx.connection.db
      .select()
      .from(history)
      .where(and(eq(history.school_id, stBrigids), isNull(history.source_id)))
      .orderBy(asc(history.seq))
  })
  const texts = await store.read(asSystem(), (tx) =>
    tx.connection.rows<{ id: string; changes: string }>(
      `select id, changes from ${tx.dialect.name === 'postgres' ? 'sync.history' : 'history'}`,
      [],
    ),
  )
  const textOf = new Map(texts.map(({ id, changes }) => [id, changes]))
  let head = ''
  const heads: string[] = []
  for (const seq of new Set(entries.map((entry) => entry.seq))) {
    const own = entries.filter((entry) => entry.seq === seq).map((entry) => ({ ...entry, changes: textOf.get(entry.id) as string }))
    head = headAfter(head, digestOf(own))
    heads.push(`when ${seq} then '${head}'`)
  }
  await tamper(
    node.database,
    (
      at,
    ) => `update ${at('history')} set head = case seq ${heads.join(' ')} else head end where school_id = '${stBrigids}' and source_id is null;
      update ${at('sync_feed')} set head = '${head}' where school_id = '${stBrigids}'`,
  )
}
