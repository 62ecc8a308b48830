import { useTranslation } from 'react-i18next'

/** What a table of the service is called at school. */
export function useEntityName(): (entity: string) => string {
  const { t, i18n } = useTranslation('sync')
  return (entity) => (i18n.exists(`entity.${entity}`, { ns: 'sync' }) ? t(`entity.${entity as 'grade'}`) : t('entity.other'))
}

/** What a column is called; one without a name of its own is a value. */
export function useColumnName(): (column: string) => string {
  const { t, i18n } = useTranslation('sync')
  return (column) => (i18n.exists(`column.${column}`, { ns: 'sync' }) ? t(`column.${column as 'score'}`) : t('column.value'))
}
