import { isId, naturalId } from '@markbook/shared/ids'
import { freezeOf, settleEntry } from '@markbook/sync/merge/settle'
import type { RowState } from '@markbook/sync/merge/state'
import { EXISTENCE } from '@markbook/sync/versions'
import { knownRows } from '../../store/replica/states.ts'
import type { ReadTx } from '../../store/tx.ts'

/** What the content of a sent book says of an entry: that it is there, and what is typed in it. */
const SENT: readonly string[] = [EXISTENCE, 'letter', 'teacher_remark']

/**
 * Whether a unit of an entry says exactly what its report book was sent with, as that stands here: whoever wrote it, no
 * words come with it that are not there already.
 */
export async function isAsSent(tx: ReadTx, school: string, entry: RowState, unit: string): Promise<boolean> {
  const { id, values, alive } = entry
  const [book, subject] = [values['report_book_id'], values['subject_id']]
  if (alive.length === 0 || !SENT.includes(unit) || !isIdHere(book) || !isIdHere(subject)) return false
  // Under another id it would be another entry of the subject.
  if (id !== naturalId('report_book_entry', book, subject)) return false
  const known = (await knownRows(tx, 'report_book', school, [book])).get(book)
  const freeze = known?.row ? freezeOf(known.state) : null
  const otherwise = freeze && settleEntry(entry, freeze)
  return otherwise ? otherwise.every((each) => each.unit !== unit) : false
}

const isIdHere = (value: unknown): value is string => typeof value === 'string' && isId(value)
