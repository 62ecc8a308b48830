import type { NaturalKind } from '@markbook/shared/ids'
import type { Replicated, Row } from '@markbook/shared/tables/tables'
import type { RowState } from '@markbook/sync/merge/state'
import type { Carried } from '@markbook/sync/protocol/page'

/** Rows that bear writes under this database's number are about to leave it, and may be made here again. */
export class NumberForgotten extends Error {}

/** Of the tables whose rows leave a laptop with a right, those whose ids follow from what a row is of. */
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
 * Throws `NumberForgotten` where rows that are to be forgotten bear writes of `node`, this database. Made here again, a row would count as
 * having seen them, for a vector says of a node only up to which number. A deletion had seen all that it took.
 */
export function demandNoneForgotten(node: string, leaving: readonly Carried[]): void {
  const isMadeAgain = ({ table, state: { vv, alive } }: Carried) => MADE_AGAIN.includes(table) && alive.length > 0 && (vv[node] ?? 0) > 0
  if (leaving.some(isMadeAgain)) throw new NumberForgotten()
}

/** `numbers`: that by which the parent knows this database, and its present one; `sent`: up to where the parent has answered. */
export type AcknowledgedNumbers = { numbers: readonly string[]; sent: number }

export const heardBy = (node: string, { own_epoch, own_seq }: Pick<Row<'sync_peer'>, 'own_epoch' | 'own_seq'>): AcknowledgedNumbers => ({
  numbers: [own_epoch ?? node, node],
  sent: own_seq,
})

/** Whether the parent has not heard of something that was written to the row here. */
export const isUnsent = ({ vv }: Pick<RowState, 'vv'>, { numbers, sent }: AcknowledgedNumbers): boolean =>
  numbers.some((number) => (vv[number] ?? 0) > sent)
