import { common, type Failure } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { isReferenceViolation } from '../store/errors.ts'
import { rowsBy } from '../store/statement.ts'
import type { ReadTx } from '../store/tx.ts'
import type { PolicyContext } from './policy.ts'

/** `ids` is a JSON array. Not locked: only administrators change subjects. */
const subjectsById = rowsBy('subject', { school: 'school_id', ids: { in: 'id' } })

/** The subjects of the school with these ids, in the given order; 404 where one is absent or another school's. */
export async function subjectsOf(tx: ReadTx, school: string, ids: readonly string[]): Promise<Row<'subject'>[]> {
  if (ids.length === 0) return []
  return inOrder(await subjectsById(tx, { school, ids: JSON.stringify(ids) }), ids)
}

/** A subject of the caller's school; 404 where it is absent or another school's. */
export async function subjectOf({ tx, caller }: PolicyContext, id: string | undefined): Promise<Row<'subject'>> {
  const [subject] = id === undefined ? [] : await subjectsOf(tx, caller.school_id, [id])
  if (!subject) throw common.notFound()
  return subject
}

/** Rows in the order of their ids; 404 where one has no row. */
export function inOrder<R extends { id: string }>(rows: readonly R[], ids: readonly string[]): R[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => {
    const row = byId.get(id)
    if (!row) throw common.notFound()
    return row
  })
}

/** Whether one of these queries finds a row. */
export async function anyFound<V>(queries: readonly ((tx: ReadTx, values: V) => Promise<readonly unknown[]>)[], tx: ReadTx, values: V) {
  for (const query of queries) if ((await query(tx, values)).length > 0) return true
  return false
}

/** For writes: turns the database's refusal into `failure`, where the cause arose after this transaction's own check. */
export const failureFor = (isMeant: (error: unknown) => boolean, failure: () => Failure) => (error: unknown) => {
  throw isMeant(error) ? failure() : error
}

/** For inserts: a row that the new one names was deleted after it was read. */
export const orNotFound = failureFor(isReferenceViolation, common.notFound)
