import { visibleText } from '@markbook/shared/domain/visible-text'
import { editable, typedNumber } from '../../words/format.ts'
import type { CellValue } from '../marks/model/cell-value.ts'
import type { StoredMark } from '../marks/model/pending-mark.ts'
import type { BooksType } from './book-search.ts'

export type BookField = 'remark' | 'conduct' | 'attendance'
export type EntryField = 'letter' | 'remark'
export type TextField = BookField | EntryField

/**
 * The texts that are sent together, like the marks of an assessment: the class teacher's texts in the report books of a class, or those of
 * a subject.
 */
export type TextGroup = { subjectId: string | null; classId: string; termId: string; type: BooksType }
export const textGroupKey = ({ subjectId, classId, termId, type }: TextGroup): string =>
  `${subjectId ?? CLASS_PART} ${classId} ${termId} ${type}`
/** The inverse of `textGroupKey`. */
export function textGroupOf(key: string): TextGroup {
  const [part = '', classId = '', termId = '', type] = key.split(' ')
  return { subjectId: part === CLASS_PART ? null : part, classId, termId, type: type === 'year_end' ? type : 'term' }
}
const CLASS_PART = 'book'

/** A row of texts: a report book, or an entry in it. */
export type TextRow = { bookId: string; rowId: string }
/** The key of a text in its group; for marks it is the pupil's id. */
export const textKey = ({ bookId, rowId }: TextRow, field: TextField): string => `${bookId} ${rowId} ${field}`
/** The inverse of `textKey`. */
export function textOfKey(key: string): TextRow & { field: TextField } {
  const [bookId = '', rowId = '', field = ''] = key.split(' ')
  return { bookId, rowId, field: field as TextField }
}

/** The value of a typed text: null for an empty one, a number for an attendance. */
export const textValue = (field: TextField, typed: string): CellValue =>
  field === 'attendance' ? typedNumber(typed) : visibleText(typed) || null
/** The inverse of `textValue`: the text for a field. */
export const typedOf = (value: CellValue | undefined): string => (typeof value === 'number' ? editable(value) : (value ?? ''))

/** A stored text, in the form in which the queue compares it. */
export const storedText = (row: TextRow, field: TextField, value: CellValue): StoredMark => ({
  student_id: textKey(row, field),
  ...(typeof value === 'number' ? { score: value, status: null } : { score: null, status: value }),
  remarks: null,
})
