import type { Conflict } from '@markbook/shared/contract/replication.rows'
import { isTechnical } from '@markbook/shared/domain/technical-columns'
import { isId } from '@markbook/shared/ids'
import { useTranslation } from 'react-i18next'
import { editable } from '../../words/format.ts'
import { valueText } from '../history/value-text.ts'

/**
 * Returns a function for the texts of a group by code; a code without a text gets the text `other`. The groups are the names of entities,
 * and the reasons of a refusal on the sending computer (`refusal`) or on the server that refused (`refusalHere`).
 */
export function useTextsOf(group: 'entity' | 'refusal' | 'refusalHere'): (code: string) => string {
  const { t, i18n } = useTranslation('records')
  return (code) => t(`${group}.${i18n.exists(`${group}.${code}`, { ns: 'records' }) ? code : 'other'}` as 'entity.other')
}

/** Returns a function for the name of a row: its entity, and which one. */
export function useRowName(): (row: { entity: string; where: string }) => string {
  const { t } = useTranslation('sync')
  const entityName = useTextsOf('entity')
  return ({ entity, where }) => (where ? t('named', { what: entityName(entity), which: where }) : entityName(entity))
}

/** Returns a function for the name of a column; «value» for one without a name. */
export function useColumnName(): (column: string) => string {
  const { t, i18n } = useTranslation(['sync', 'columns'])
  return (column) => (i18n.exists(column, { ns: 'columns' }) ? t(column as 'score', { ns: 'columns' }) : t('value'))
}

/** Returns a function for a value as text; a mark with its maximum, `81 / 100`. */
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
 * The columns of `value` in which it differs from `other`, to be decided; all where nothing differs. Where the row is not here (`other` is
 * null), those that are shown of a whole row: none of a row that only links others.
 */
export function differing(value: Columns, other: Columns | null): Columns {
  if (!other) return Object.fromEntries(shownColumns(value))
  const own = Object.entries(value).filter(([column, one]) => JSON.stringify(one) !== JSON.stringify(other[column]))
  return own.length > 0 ? Object.fromEntries(own) : value
}
type Columns = Readonly<Record<string, unknown>>

/** Returns a function for why a write does not count: the rule that it would break, or the kind of the conflict. */
export function useReasonText(): (conflict: Pick<Conflict, 'kind' | 'reason'>) => string {
  const { t, i18n } = useTranslation('records')
  return ({ kind, reason }) => t(`reason.${i18n.exists(`reason.${reason}`, { ns: 'records' }) ? reason : kind}` as 'reason.rule')
}

/** The resources that a decision may change. */
export const affectedResources = [
  'grades',
  'assessments',
  'assessmentCategories',
  'attendance',
  'reports',
  'students',
  'subjects',
  'classes',
  'teachingSets',
  'terms',
  'academicYears',
  'schools',
] as const

/** The columns to show: without ids, and without technical, empty and false values unless there are no others. */
export function shownColumns(value: Readonly<Record<string, unknown>> | null): readonly [string, unknown][] {
  const all = Object.entries(value ?? {}).filter(([, one]) => !(typeof one === 'string' && isId(one)))
  const filled = all.filter(([, one]) => one !== null && one !== false && one !== '')
  const plain = filled.filter(([column]) => !isTechnical(column))
  return [plain, filled].find((columns) => columns.length > 0) ?? all
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
