import { useTranslation } from 'react-i18next'
import { Page } from '../../components/page.tsx'
import { Desk } from './desk.tsx'
import { Members } from './members.tsx'
import { Requests } from './requests.tsx'

export function PeoplePage() {
  const { t } = useTranslation('people')
  return (
    <Page title={t('title')} lead={t('lead')}>
      <Requests />
      <Members />
      <Desk />
    </Page>
  )
}
