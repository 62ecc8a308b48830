import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { ButtonLink } from '../../components/button-link.tsx'
import { Notice } from '../../components/page.tsx'

/** Shown only where the last audit found something wrong. A failure to read it is shown on its own page. */
export function AuditNotice() {
  const { t } = useTranslation('home')
  const { data } = useQuery(ask('audit', 'report'))
  if (data?.state !== 'bad' && data?.people !== 'bad') return null
  return (
    <Notice tone="bad">
      <span>
        <strong>{t('audit.title')}.</strong> {t('audit.text')}
      </span>
      <ButtonLink to="/audit" look="primary" size="small">
        {t('audit.open')}
      </ButtonLink>
    </Notice>
  )
}
