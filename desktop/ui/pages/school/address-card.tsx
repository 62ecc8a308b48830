import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { copyText } from '../../components/copy-text.ts'
import { Answer, Card } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { QrCode } from '../account/qr-code.tsx'
import styles from './school-page.module.css'

/** Where other devices reach this server: to read out, to copy into a message, to scan from the screen. */
export function AddressCard() {
  const { t } = useTranslation('school')
  const addresses = useQuery(ask('schools', 'addresses'))
  return (
    <Card title={t('server.title')}>
      <Answer of={addresses}>{({ urls }) => <Addresses urls={urls} />}</Answer>
    </Card>
  )
}

function Addresses({ urls }: { urls: readonly string[] }) {
  const { t } = useTranslation('school')
  const { tell } = useToasts()
  const [best, ...others] = urls
  if (!best) return <p>{t('server.none')}</p>
  const copy = async () => tell((await copyText(best)) ? t('server.copied') : t('server.notCopied'))
  return (
    <div className={styles['server']}>
      <QrCode text={best} label={t('server.qr', { address: best })} />
      <div className={styles['reach']}>
        <p>{t('server.text')}</p>
        <p className={styles['best']}>
          <strong className={styles['url']}>{best}</strong>
          <Button size="small" onClick={() => void copy()}>
            {t('server.copy')}
          </Button>
        </p>
        {others.length > 0 && (
          <p className={styles['facts']}>
            {t('server.others')} {others.join(', ')}
          </p>
        )}
        {best.startsWith('https:') && <p className={styles['facts']}>{t('server.trust')}</p>}
      </div>
    </div>
  )
}
