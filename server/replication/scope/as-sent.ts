import { isId, naturalId } from '@markbook/shared/ids'
import { freezeOf, settleEntry } from '@markbook/sync/merge/settle'
import type { RowState } from '@markbook/sync/merge/state'
import { EXISTENCE } from '@markbook/sync/versions'
import { knownRows } from '../../store/replica/states.ts'
import type { ReadTx } from '../../store/tx.ts'

/** The units of an entry that the content of a sent book fixes: that it exists, and what is typed in it. */
const SENT: readonly string[] = [EXISTENCE, 'letter', 'teacher_remark']

/**
 * Whether a unit of an entry says exactly what its report book was sent with, as that stands here. Then it does not matter who wrote it: it
 * brings no words that are not here already.
 */
export async function isAsSent(tx: ReadTx, school: string, entry: RowState, unit: string): Promise<boolean> {
  const { id, values, alive } = entry
  const [book, subject] = [values['report_book_id'], values['subject_id']]
  if (alive.length === 0 || !SENT.includes(unit) || !isIdHere(book) || !isIdHere(subject)) return false
  // Under another id the book would have a second entry of the subject.
  if (id !== naturalId('report_book_entry', book, subject)) return false
  const known = (await knownRows(tx, 'report_book', school, [book])).get(book)
  const freeze = known?.row ? freezeOf(known.state) : null
  const otherwise = freeze && settleEntry(entry, freeze)
  return otherwise ? otherwise.every((each) => each.unit !== unit) : false
}

const isIdHere = (value: unknown): value is string => typeof value === 'string' && isId(value)
