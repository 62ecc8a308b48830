import type { HistoryEntry } from '@markbook/shared/contract/history'
import { editable } from '../../words/format.ts'

/** Columns of which a teacher has a word (`field` of the catalogue). */
export const words = [
  'score',
  'remarks',
  'is_excluded',
  'exclusion_reason',
  'title',
  'name',
  'code',
  'max_score',
  'weight',
  'assessment_type',
  'assessment_date',
  'sort_order',
  'first_name',
  'last_name',
  'student_number',
  'is_active',
  'exam_weight',
  'coursework_weight',
  'start_date',
  'end_date',
  'letter_grade',
  'teacher_remarks',
] as const
export type Word = (typeof words)[number]
export type Value = string | boolean | null
export type ShownChange = { field: string; word: Word | null; before: Value; after: Value }

/** Ids and what the service keeps for itself say nothing to a person. */
const isTechnical = (field: string) => field === 'id' || /(_id|_by|_key|_at)$/.test(field)

const shownValue = (value: unknown): Value => {
  if (value === null || value === undefined || value === '') return null
  if (typeof value === 'boolean' || typeof value === 'string') return value
  return typeof value === 'number' ? editable(value) : JSON.stringify(value)
}

/** What a person is to see of an entry: what has a name first, nothing that was and is nothing. */
export function shownChanges({ changes }: Pick<HistoryEntry, 'changes'>): ShownChange[] {
  const shown = Object.entries(changes)
    .filter(([field]) => !isTechnical(field))
    .map(([field, { before, after }]) => ({
      field,
      word: (words as readonly string[]).includes(field) ? (field as Word) : null,
      before: shownValue(before),
      after: shownValue(after),
    }))
    .filter(({ before, after }) => before !== null || after !== null)
    .filter(({ before, after }) => !(before === null && after === false))
  const place = ({ word }: ShownChange) => (word === null ? words.length : words.indexOf(word))
  return shown.sort((a, b) => place(a) - place(b))
}
