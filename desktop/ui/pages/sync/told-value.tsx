import { isId } from '@markbook/shared/ids'
import { useTranslation } from 'react-i18next'
import { useColumnName, useShown } from './naming.ts'

/** Columns that are worth saying: what is empty or no is left out, unless that is all there is to say; an id says nothing to anybody. */
export function worthSaying(value: Readonly<Record<string, unknown>> | null): readonly [string, unknown][] {
  const all = Object.entries(value ?? {}).filter(([, one]) => !(typeof one === 'string' && isId(one)))
  const said = all.filter(([, one]) => one !== null && one !== false && one !== '')
  return said.length > 0 ? said : all
}

/** What was written, by column. */
export function ToldValue({ value, outOf }: { value: Readonly<Record<string, unknown>> | null; outOf: number | null }) {
  const { t } = useTranslation('sync')
  const columnName = useColumnName()
  const shown = useShown()
  const said = ([column, one]: readonly [string, unknown]) =>
    column === 'score' ? shown(column, one, outOf) : t('named', { what: columnName(column), which: shown(column, one, outOf) })
  return worthSaying(value).map(said).join(', ')
}
