import type { HistoryEntry } from '@markbook/shared/contract/history'
import { editable } from '../../words/format.ts'

type Value = string | boolean | null
/** `isNamed`: the column has a name in `columns.json`. */
export type ShownChange = { field: string; isNamed: boolean; before: Value; after: Value }

/** Whether a column is hidden: ids, timestamps and paths of files; not the time of an approval, which is all that an approval writes. */
export const isTechnical = (field: string) =>
  field !== 'approved_at' && (field === 'id' || /(_id|_by|_key|_at|_path|_size|_hash|(^|_)sha256)$/.test(field))

const shownValue = (value: unknown): Value => {
  if (value === null || value === undefined || value === '') return null
  if (typeof value === 'boolean' || typeof value === 'string') return value
  return typeof value === 'number' ? editable(value) : JSON.stringify(value)
}

/** The changes of an entry to show, without values that are empty before and after: `named` columns first, in their order. */
export function shownChanges({ changes }: Pick<HistoryEntry, 'changes'>, named: readonly string[]): ShownChange[] {
  const shown = Object.entries(changes)
    .filter(([field]) => !isTechnical(field))
    .map(([field, { before, after }]) => ({
      field,
      isNamed: named.includes(field),
      before: shownValue(before),
      after: shownValue(after),
    }))
    .filter(({ before, after }) => before !== null || after !== null)
    .filter(({ before, after }) => !(before === null && after === false))
  const position = ({ field, isNamed }: ShownChange) => (isNamed ? named.indexOf(field) : named.length)
  return shown.sort((a, b) => position(a) - position(b))
}
