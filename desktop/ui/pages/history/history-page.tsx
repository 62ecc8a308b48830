import { useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Empty, Page } from '../../components/page.tsx'
import { HistoryPanel } from './history-panel.tsx'

/** `/history?entity=grade&id=…`: the past of one row, for a link from elsewhere. */
export function HistoryPage() {
  const { t } = useTranslation('history')
  const { entity, id } = useSearch({ from: '/school/history' })
  return (
    <Page title={t('title')} lead={t('lead')}>
      {entity && id ? <HistoryPanel entity={entity} id={id} /> : <Empty>{t('noRow')}</Empty>}
    </Page>
  )
}
