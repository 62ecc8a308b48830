import type { NaturalKind } from '@markbook/shared/ids'
import type { Replicated } from '@markbook/shared/tables/tables'
import type { RowState } from '@markbook/sync/merge/state'
import type { Carried } from '@markbook/sync/protocol/page'
import type { Peer } from '../../store/peer-row.ts'

/** Rows with writes under this database's number are about to leave it, and may be created here again. A new number is needed first. */
export class NumberForgotten extends Error {}

/** The tables with natural ids whose rows leave a laptop when a right is lost: such a row may be created again under the same id. */
const MADE_AGAIN: readonly Replicated[] = [
  'enrolment',
  'student_subject',
  'teaching_set_member',
  'attendance_register',
  'attendance_mark',
  'grade',
  'report_book',
  'report_book_entry',
] satisfies readonly (NaturalKind & Replicated)[]

/**
 * Throws `NumberForgotten` where rows that are to be forgotten bear writes of `node`, this database. If such a row were created here again,
 * it would count as having seen those writes, since a vector has one counter for each number. Deleted rows do no harm: the deletion had
 * seen all writes.
 */
export function demandNoneForgotten(node: string, leaving: readonly Carried[]): void {
  const isMadeAgain = ({ table, state: { vv, alive } }: Carried) => MADE_AGAIN.includes(table) && alive.length > 0 && (vv[node] ?? 0) > 0
  if (leaving.some(isMadeAgain)) throw new NumberForgotten()
}

/**
 * `numbers`: the one under which the parent knows this database, and the present one; `sent`: the counter up to which the parent has
 * acknowledged.
 */
export type AcknowledgedNumbers = { numbers: readonly string[]; sent: number }

export const heardBy = (node: string, { own_epoch, own_seq }: Pick<Peer, 'own_epoch' | 'own_seq'>): AcknowledgedNumbers => ({
  numbers: [own_epoch ?? node, node],
  sent: own_seq,
})

/** Whether the row has writes of this database that the parent has not acknowledged. */
export const isUnsent = ({ vv }: Pick<RowState, 'vv'>, { numbers, sent }: AcknowledgedNumbers): boolean =>
  numbers.some((number) => (vv[number] ?? 0) > sent)
