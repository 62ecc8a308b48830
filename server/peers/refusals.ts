import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { pick, type RowState } from '@markbook/sync/merge/state'
import type { RowAnswer } from '@markbook/sync/protocol/messages'
import { unpackRows } from '@markbook/sync/protocol/page'
import { EXISTENCE } from '@markbook/sync/versions'
import { type AnyRow, linksFrom, parentIdOf } from '../store/replica/links.ts'
import { knownRows } from '../store/replica/states.ts'
import { rowsOf } from '../store/replica/write.ts'
import type { WriteTx } from '../store/tx.ts'

/**
 * Writes of this node that its parent did not take: each is kept whole for its author, and what the parent holds is written over it as a
 * new write of this node, so that this node's own children follow (SPEC, «Pushed rows are commands»).
 */
export async function takeRefusals(tx: WriteTx, school: string, answers: readonly RowAnswer[]): Promise<void> {
  const order = Object.keys(descriptions)
  const known = answers.filter(({ table }) => Object.hasOwn(descriptions, table))
  const sorted = [...known].sort((a, b) => order.indexOf(a.table) - order.indexOf(b.table))
  // What was refused to be deleted is there again, parents first; what was refused to be made goes, children first.
  for (const answer of sorted) if (isThere(answer)) await takeRefusal(tx, school, answer)
  for (const answer of sorted.reverse()) if (!isThere(answer)) await takeRefusal(tx, school, answer)
}

const isThere = ({ theirs }: RowAnswer) => theirs !== null && unpackRows([theirs]).rows.some(({ state }) => state.alive.length > 0)

async function takeRefusal(tx: WriteTx, school: string, { table: name, id, units, code, outcome, theirs }: RowAnswer): Promise<void> {
  const table = name as Replicated
  const known = (await knownRows(tx, table, school, [id])).get(id)
  if (!known) return
  const { state, row } = known
  const [parents] = theirs ? unpackRows([theirs]).rows : []
  await keep(tx, school, table, state, units, outcome === 'conflict' ? 'right_lost' : (code ?? 'refused'))
  const isMade = units.includes(EXISTENCE) && state.alive.length > 0
  if (!parents || parents.state.alive.length === 0) {
    if (row && (isMade || parents)) await tx.remove(table, [row as never])
    return
  }
  const patch = Object.assign(
    {},
    ...units.filter((unit) => unit !== EXISTENCE).map((unit) => pick(parents.state.values, descriptions[table].units[unit] ?? [])),
  )
  if (row) await tx.update(table, [{ before: row as never, patch }])
  else await putBack(tx, school, table, parents.state)
}

/** A row that was deleted here and stays at the parent is there again, and so are those that it hangs on, with their last values. */
async function putBack(tx: WriteTx, school: string, table: Replicated, state: RowState): Promise<void> {
  for (const link of linksFrom(table)) {
    const id = parentIdOf(link, state.values as AnyRow)
    const above = id === null ? undefined : (await knownRows(tx, link.parent, school, [id])).get(id)
    if (above && !above.row) await putBack(tx, school, link.parent, above.state)
  }
  const [row] = await rowsOf(tx, table, school, [{ state, settled: [] }])
  const isThere = (await knownRows(tx, table, school, [state.id])).get(state.id)?.row
  if (!isThere) await tx.insert(table, [row as never])
}

async function keep(
  tx: WriteTx,
  school: string,
  table: Replicated,
  state: {
    id: string
    values: Readonly<Record<string, unknown>>
    units: Readonly<Record<string, readonly unknown[]>>
    alive: readonly unknown[]
  },
  units: readonly string[],
  code: string,
) {
  for (const unit of units) {
    const stamp = state.units[unit]
    if (!stamp || descriptions[table].sealed) continue
    const columns = unit === EXISTENCE ? Object.values(descriptions[table].units).flat() : (descriptions[table].units[unit] ?? [])
    await tx.local.insert(tx.t.sync_refused).values({
      id: tx.newId(),
      school_id: school,
      table_name: table,
      row_id: state.id,
      unit,
      value: state.alive.length === 0 && unit === EXISTENCE ? null : { ...pick(state.values, columns) },
      actor_id: stamp[3] as string | null,
      hlc: stamp[2] as number,
      code,
      refused_at: tx.now,
      seen_at: null,
    })
  }
}
