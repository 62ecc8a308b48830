import type { Conflict } from '@markbook/shared/contract/replication.rows'
import { isId } from '@markbook/shared/ids'
import { useTranslation } from 'react-i18next'
import { editable } from '../../words/format.ts'
import { valueText } from '../history/value-text.ts'

/**
 * The texts of a group by code, with its text `other` for a code that has none: the names of the entities at school, and why a write was
 * refused, said on the sending computer (`refusal`) or on the server that refused it (`refusalHere`).
 */
export function useTextsOf(group: 'entity' | 'refusal' | 'refusalHere'): (code: string) => string {
  const { t, i18n } = useTranslation('records')
  return (code) => t(`${group}.${i18n.exists(`${group}.${code}`, { ns: 'records' }) ? code : 'other'}` as 'entity.other')
}

/** The name of a row at school: its entity, and which one. */
export function useRowName(): (row: { entity: string; where: string }) => string {
  const { t } = useTranslation('sync')
  const entityName = useTextsOf('entity')
  return ({ entity, where }) => (where ? t('named', { what: entityName(entity), which: where }) : entityName(entity))
}

/** The name of a column; «value» where it has none. */
export function useColumnName(): (column: string) => string {
  const { t, i18n } = useTranslation(['sync', 'columns'])
  return (column) => (i18n.exists(column, { ns: 'columns' }) ? t(column as 'score', { ns: 'columns' }) : t('value'))
}

/** A value as text; a mark with its maximum, `81 / 100`. */
export function useValueText(): (column: string, value: unknown, outOf: number | null) => string {
  const { t } = useTranslation('sync')
  return (column, value, outOf) => {
    if (value === null || value === undefined || value === '') return t('empty')
    if (typeof value === 'boolean') return t(value ? 'yes' : 'no')
    if (typeof value === 'number') return column === 'score' && outOf !== null ? `${editable(value)} / ${editable(outOf)}` : editable(value)
    return valueText(column, typeof value === 'object' ? JSON.stringify(value) : String(value))
  }
}

/**
 * Of two values of one row the columns in which they differ, which are what is asked about; all where one of them is absent, or none differs.
 */
export function differing(value: Columns, other: Columns | null): Columns {
  const own = Object.entries(value).filter(([column, one]) => other && JSON.stringify(one) !== JSON.stringify(other[column]))
  return own.length > 0 ? Object.fromEntries(own) : value
}
type Columns = Readonly<Record<string, unknown>>

/** Why a write does not count: by the rule that it would break, where one is named, else by the kind of the conflict. */
export function useReasonText(): (conflict: Pick<Conflict, 'kind' | 'reason'>) => string {
  const { t, i18n } = useTranslation('records')
  return ({ kind, reason }) => t(`reason.${i18n.exists(`reason.${reason}`, { ns: 'records' }) ? reason : kind}` as 'reason.rule')
}

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
