import { isId } from '@markbook/shared/ids'
import { useColumnName, useShown } from './naming.ts'

/** Columns that are worth saying: what is empty or no is left out, unless that is all there is to say; an id says nothing to anybody. */
export function worthSaying(value: Readonly<Record<string, unknown>> | null): readonly [string, unknown][] {
  const all = Object.entries(value ?? {}).filter(([, one]) => !(typeof one === 'string' && isId(one)))
  const said = all.filter(([, one]) => one !== null && one !== false && one !== '')
  return said.length > 0 ? said : all
}

/** What was written, by column. */
export function ToldValue({ value, outOf }: { value: Readonly<Record<string, unknown>> | null; outOf: number | null }) {
  const columnName = useColumnName()
  const shown = useShown()
  return worthSaying(value)
    .map(([column, one]) => (column === 'score' ? '' : `${columnName(column)}: `) + shown(column, one, outOf))
    .join(', ')
}
