import { editable } from '../../../words/format.ts'
import { type CellValue, markOf } from './cell-value.ts'

/** A mark as it is typed in this language; an empty text for none. */
export function valueText(value: CellValue): string {
  const { score, status } = markOf(value)
  return [...(score === null ? [] : [editable(score)]), ...(status === null ? [] : [status])].join(' ')
}
