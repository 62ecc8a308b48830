import { editable } from '../../../words/format.ts'
import { type CellValue, markOf } from './cell-value.ts'

/** A mark as somebody types it in this language; empty for none. */
export function valueText(value: CellValue): string {
  const { score, status } = markOf(value)
  return [...(score === null ? [] : [editable(score)]), ...(status === null ? [] : [status])].join(' ')
}
