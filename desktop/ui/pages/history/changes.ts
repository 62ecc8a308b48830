import type { HistoryEntry } from '@markbook/shared/contract/history'
import { isTechnical } from '@markbook/shared/domain/technical-columns'
import { editable } from '../../words/format.ts'

type Value = string | boolean | null
/** `isNamed`: the column has a name in `columns.json`. */
export type ShownChange = { field: string; isNamed: boolean; before: Value; after: Value }

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
