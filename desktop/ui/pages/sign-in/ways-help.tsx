import type { Ways } from '@markbook/shared/contract/outage'
import { useTranslation } from 'react-i18next'
import { Notice } from '../../components/page.tsx'
import styles from './outside.module.css'

/** What to do where a mailed code does not come, in the order of what is nearest at hand. */
function OtherWays({ ways }: { ways: Ways }) {
  const { t } = useTranslation('sign-in')
  return (
    <ul>
      {ways.totp && <li>{t('ways.totp')}</li>}
      {ways.recovery && <li>{t('ways.recovery')}</li>}
      {ways.desk && <li>{t('ways.desk')}</li>}
      <li>{t('ways.console')}</li>
    </ul>
  )
}

/** Before the address is sent: whether a mail would arrive at all. Nothing where all is well, or where the demonstration shows codes. */
export function MailNotice({ ways }: { ways: Ways | undefined }) {
  const { t } = useTranslation('sign-in')
  if (!ways || ways.mail === 'ok' || ways.demo) return null
  return (
    <Notice tone={ways.mail === 'failing' ? 'warn' : 'info'}>
      <div className={styles['plain']}>
        <p>
          <strong>{t(`mail.${ways.mail}`)}</strong> {t(`mail.${ways.mail}Do`)}
        </p>
        {ways.mail === 'failing' && <OtherWays ways={ways} />}
      </div>
    </Notice>
  )
}

/** Beside the field for the code. */
export function NoCodeHelp({ ways }: { ways: Ways | undefined }) {
  const { t } = useTranslation('sign-in')
  if (!ways) return null
  return (
    <div className={styles['plain']}>
      <details>
        <summary>{t('ways.title')}</summary>
        {ways.mail === 'ok' && <p>{t('ways.spam')}</p>}
        <p>{t('ways.any')}</p>
        <OtherWays ways={ways} />
      </details>
    </div>
  )
}
