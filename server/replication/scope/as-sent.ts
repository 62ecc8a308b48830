import { isId, naturalId } from '@markbook/shared/ids'
import type { Replicated } from '@markbook/shared/tables/tables'
import { type Freeze, freezeOf, settleEntry } from '@markbook/sync/merge/settle'
import { isSame, type RowState, type Values } from '@markbook/sync/merge/state'
import { EXISTENCE } from '@markbook/sync/versions'
import { knownRows, rowsNaming } from '../../store/replica/states.ts'
import type { ReadTx } from '../../store/tx.ts'
import { isWritable } from './normal-form.ts'

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

const OF_BOOK = ['class_teacher_remark', 'conduct', 'attendance_percentage'] as const
const OF_ENTRY = ['manual_letter', 'teacher_remark'] as const

/**
 * Whether a person could have typed what a book is sent with, since it stands in the book and its entries from then on. What an older
 * program let somebody type, and stands here, counts as typed.
 */
export async function isWritableFreeze(tx: ReadTx, school: string, id: string, freeze: Freeze): Promise<boolean> {
  const [book = {}] = await rowsNaming(tx, 'report_book', school, 'id', [id])
  const entries = await rowsNaming(tx, 'report_book_entry', school, 'report_book_id', [id])
  const isTyped = (table: Replicated, columns: readonly string[], said: Values, here: Values) =>
    isWritable(
      table,
      said,
      columns.filter((column) => !isSame(said[column], here[column])),
    )
  return (
    isIdHere(freeze.student_group_id) &&
    isTyped('report_book', OF_BOOK, { ...freeze }, book) &&
    freeze.entries.every((entry) =>
      isTyped('report_book_entry', OF_ENTRY, { ...entry }, entries.find((one) => one['subject_id'] === entry.subject_id) ?? {}),
    )
  )
}

const isIdHere = (value: unknown): value is string => typeof value === 'string' && isId(value)
