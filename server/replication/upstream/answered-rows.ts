import type { RowAnswer } from '@markbook/sync/protocol/messages'
import type { Carried } from '@markbook/sync/protocol/page'
import { covers, join, textToVersions, type Vector } from '@markbook/sync/versions'
import { scopeIn, tableOrder } from '../../store/replica/links.ts'
import type { ReadTx } from '../../store/tx.ts'

type Named = { table: string; id: string }
export const keyOf = ({ table, id }: Named) => `${table}:${id}`
export const keyOfRow = ({ table, state }: Carried) => keyOf({ table, id: state.id })

/** The vectors of those of these rows that are known here, by `keyOf`. */
async function vectorsHere(tx: ReadTx, school: string, rows: readonly Named[]): Promise<Map<string, Vector>> {
  const here = new Map<string, Vector>()
  for (const table of tableOrder) {
    const ids = rows.filter((row) => row.table === table).map(({ id }) => id)
    const stored = ids.length === 0 ? [] : await tx.dialect.versionsOf(tx.connection, scopeIn(table, school), table, ids)
    for (const each of stored) here.set(keyOf({ table, id: each.row_id }), textToVersions(each).vv)
  }
  return here
}

const hasSeen = (vector: Vector, other: Vector) => Object.entries(other).every((dot) => covers(vector, dot))

/** Whether these rows of a parent bear writes that are not known here. */
export async function hasUnread(tx: ReadTx, school: string, theirs: readonly Carried[]): Promise<boolean> {
  const here = await vectorsHere(
    tx,
    school,
    theirs.map(({ table, state: { id } }) => ({ table, id })),
  )
  return theirs.some((row) => !hasSeen(here.get(keyOfRow(row)) ?? {}, row.state.vv))
}

/**
 * The answers about rows that bear nothing but what `states` bear, which are those that were sent and the parent's. Any other row was written
 * again meanwhile, so that it is sent and answered again as a whole.
 */
export async function stillValid(
  tx: ReadTx,
  school: string,
  answers: readonly RowAnswer[],
  states: readonly Carried[],
): Promise<RowAnswer[]> {
  const here = await vectorsHere(tx, school, answers)
  const known = new Map<string, Vector>()
  for (const row of states) known.set(keyOfRow(row), join(known.get(keyOfRow(row)) ?? {}, row.state.vv))
  return answers.filter((answer) => hasSeen(known.get(keyOf(answer)) ?? {}, here.get(keyOf(answer)) ?? {}))
}
