import type { SignInMethods } from '@markbook/shared/contract/sign-in-methods'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { forgetStored } from '../../components/browser-storage.ts'
import { Notice } from '../../components/page.tsx'
import { moment } from '../../words/format.ts'

/** Says that this laptop was erased, and removes what this browser stored of it, such as unsent marks. */
export function ErasedNotice({ erased }: Pick<SignInMethods, 'erased'>) {
  const { t } = useTranslation('sign-in')
  useEffect(() => {
    if (!erased) return
    forgetStored()
    void import('../../storage/browser-database.ts').then(({ forgetBrowserDatabase }) => forgetBrowserDatabase())
  }, [erased])
  if (!erased) return null
  return (
    <Notice tone="warn">
      <strong>{t('erased.title', { at: moment(erased.at), by: erased.by })}</strong>
      <span>{t('erased.text')}</span>
    </Notice>
  )
}
