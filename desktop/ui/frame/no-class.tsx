import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { isAdmin, useProfile } from '../api/session.ts'

/** Said where a year has no class for this person: an administrator sees all of them, and adds the first one. */
export function NoClass({ year }: { year: string }) {
  const { t } = useTranslation('app')
  if (!isAdmin(useProfile())) return t('noClass.own', { year })
  return (
    <>
      {t('noClass.any', { year })} <Link to="/classes">{t('noClass.add')}</Link>
    </>
  )
}
