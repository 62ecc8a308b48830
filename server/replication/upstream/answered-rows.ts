import type { RowAnswer } from '@markbook/sync/protocol/messages'
import type { Carried } from '@markbook/sync/protocol/page'
import { covers, join, type Vector } from '@markbook/sync/versions'
import { keyOf, keyOfRow } from '../../store/replica/links.ts'
import { versionsByKey } from '../../store/replica/states.ts'
import type { ReadTx } from '../../store/tx.ts'

const hasSeen = (vector: Vector, other: Vector) => Object.entries(other).every((dot) => covers(vector, dot))

/** Whether these rows of a parent bear writes that are not known here. */
export async function hasUnread(tx: ReadTx, school: string, theirs: readonly Carried[]): Promise<boolean> {
  const named = theirs.map(({ table, state: { id } }) => ({ table, id }))
  const here = await versionsByKey(tx, school, named)
  return theirs.some((row) => !hasSeen(here.get(keyOfRow(row))?.vv ?? {}, row.state.vv))
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
  const here = await versionsByKey(tx, school, answers)
  const known = new Map<string, Vector>()
  for (const row of states) known.set(keyOfRow(row), join(known.get(keyOfRow(row)) ?? {}, row.state.vv))
  return answers.filter((answer) => hasSeen(known.get(keyOf(answer)) ?? {}, here.get(keyOf(answer))?.vv ?? {}))
}
