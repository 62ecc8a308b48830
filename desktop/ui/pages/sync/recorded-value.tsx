import { isId } from '@markbook/shared/ids'
import { useTranslation } from 'react-i18next'
import { useColumnName, useValueText } from './labels.ts'

/** Columns to show: without ids, and without empty and false values unless there are no others. */
export function shownColumns(value: Readonly<Record<string, unknown>> | null): readonly [string, unknown][] {
  const all = Object.entries(value ?? {}).filter(([, one]) => !(typeof one === 'string' && isId(one)))
  const filled = all.filter(([, one]) => one !== null && one !== false && one !== '')
  return filled.length > 0 ? filled : all
}

/** A written value, column by column. */
export function RecordedValue({ value, outOf }: { value: Readonly<Record<string, unknown>> | null; outOf: number | null }) {
  const { t } = useTranslation('sync')
  const columnName = useColumnName()
  const shown = useValueText()
  const textOf = ([column, one]: readonly [string, unknown]) =>
    column === 'score' ? shown(column, one, outOf) : t('named', { what: columnName(column), which: shown(column, one, outOf) })
  return shownColumns(value).map(textOf).join(', ')
}
