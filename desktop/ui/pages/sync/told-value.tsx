import { isId } from '@markbook/shared/ids'
import { useColumnName, useShown } from './naming.ts'

/** What was written, by column. What is empty or no is left unsaid, unless that is all there is to say; an id says nothing to anybody. */
export function ToldValue({ value, outOf }: { value: Readonly<Record<string, unknown>> | null; outOf: number | null }) {
  const columnName = useColumnName()
  const shown = useShown()
  const all = Object.entries(value ?? {}).filter(([, one]) => !(typeof one === 'string' && isId(one)))
  const said = all.filter(([, one]) => one !== null && one !== false && one !== '')
  const told = said.length > 0 ? said : all
  return told.map(([column, one]) => (column === 'score' ? '' : `${columnName(column)}: `) + shown(column, one, outOf)).join(', ')
}
