import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Notice, Page } from '../../components/page.tsx'
import { Desk } from './desk.tsx'
import { Members } from './members.tsx'
import { Requests } from './requests.tsx'

export function PeoplePage() {
  const { t } = useTranslation('people')
  const isLaptop = useQuery(ask('replication', 'status')).data?.is_laptop ?? false
  return (
    <Page title={t('title')} lead={t('lead')}>
      {isLaptop ? <Notice>{t('onLaptop')}</Notice> : <Requests />}
      <Members isFixed={isLaptop} />
      <Desk />
    </Page>
  )
}
