import { useTranslation } from 'react-i18next'
import { editable } from '../../words/format.ts'

/** What a table of the service is called at school. */
export function useEntityName(): (entity: string) => string {
  const { t, i18n } = useTranslation('sync')
  return (entity) => (i18n.exists(`entity.${entity}`, { ns: 'sync' }) ? t(`entity.${entity as 'grade'}`) : t('entity.other'))
}

/** A row as it is called at school: what it is, and which. */
export function useRowName(): (row: { entity: string; where: string }) => string {
  const { t } = useTranslation('sync')
  const entityName = useEntityName()
  return ({ entity, where }) => (where ? t('named', { what: entityName(entity), which: where }) : entityName(entity))
}

/** What a column is called; one without a name of its own is a value. */
export function useColumnName(): (column: string) => string {
  const { t, i18n } = useTranslation('sync')
  return (column) => (i18n.exists(`column.${column}`, { ns: 'sync' }) ? t(`column.${column as 'score'}`) : t('column.value'))
}

/** Why a write was not taken, by its code: `refusal` in words for whom the other server refused it, `refusalHere` at the server that did. */
export function useRefusal(side: 'refusal' | 'refusalHere'): (code: string) => string {
  const { t, i18n } = useTranslation('sync')
  return (code) => (i18n.exists(`${side}.${code}`, { ns: 'sync' }) ? t(`${side}.${code as 'other'}`) : t(`${side}.other`))
}

/** A value as a person reads it; of a mark with the maximum, `81 / 100`. */
export function useShown(): (column: string, value: unknown, outOf: number | null) => string {
  const { t } = useTranslation('sync')
  return (column, value, outOf) => {
    if (value === null || value === undefined || value === '') return t('empty')
    if (typeof value === 'boolean') return t(value ? 'yes' : 'no')
    if (typeof value === 'number') return column === 'score' && outOf !== null ? `${editable(value)} / ${editable(outOf)}` : editable(value)
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  }
}
