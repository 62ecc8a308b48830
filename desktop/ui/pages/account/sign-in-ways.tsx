import type { OwnWays } from '@markbook/shared/contract/outage'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Answer, Badge, Card } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { moment } from '../../words/format.ts'
import styles from './account.module.css'
import { AppDialog } from './app-dialog.tsx'
import { CodesDialog } from './codes-dialog.tsx'

const FEW = 3

/** How to sign in when no mail comes: set up today, needed on the day when the line is down. */
export function SignInWays() {
  const { t } = useTranslation('account')
  const ways = useQuery(ask('outage', 'ownWays'))
  return (
    <Card title={t('ways.title')}>
      <p>{t('ways.lead')}</p>
      <Answer of={ways}>
        {(own) => (
          <>
            <App own={own} />
            <Codes own={own} />
          </>
        )}
      </Answer>
    </Card>
  )
}

function App({ own }: { own: OwnWays }) {
  const { t } = useTranslation('account')
  const { tell } = useToasts()
  const remove = useSave('outage', 'removeTotp')
  const [open, setOpen] = useState<'enrol' | 'remove' | null>(null)
  const close = () => setOpen(null)
  return (
    <div className={styles['way']}>
      <div className={styles['split']}>
        <h3>{t('app.title')}</h3>
        {own.confirmed_at ? (
          <Badge tone="good">{t('app.since', { when: moment(own.confirmed_at) })}</Badge>
        ) : (
          <Badge>{t('app.none')}</Badge>
        )}
      </div>
      <p>{t('app.text')}</p>
      <div className={styles['buttons']}>
        <Button onClick={() => setOpen('enrol')}>{t(own.confirmed_at ? 'app.another' : 'app.setUp')}</Button>
        {own.confirmed_at && (
          <Button look="danger" onClick={() => setOpen('remove')}>
            {t('app.remove')}
          </Button>
        )}
      </div>
      {open === 'enrol' && <AppDialog onClose={close} />}
      {open === 'remove' && (
        <ConfirmDialog
          title={t('app.removeTitle')}
          text={t('app.removeText')}
          action={t('app.remove')}
          onConfirm={async () => {
            await remove.mutateAsync(undefined)
            tell(t('app.removed'))
          }}
          onClose={close}
        />
      )}
    </div>
  )
}

function Codes({ own }: { own: OwnWays }) {
  const { t } = useTranslation('account')
  const [isOpen, setOpen] = useState(false)
  const { recovery_codes: left } = own
  return (
    <div className={styles['way']}>
      <div className={styles['split']}>
        <h3>{t('codes.title')}</h3>
        <Badge {...(left > 0 && { tone: left > FEW ? ('good' as const) : ('warn' as const) })}>
          {left > 0 ? t('codes.left', { count: left }) : t('codes.none')}
        </Badge>
      </div>
      <p>{t('codes.text')}</p>
      <div className={styles['buttons']}>
        <Button onClick={() => setOpen(true)}>{t(left > 0 ? 'codes.again' : 'codes.make')}</Button>
      </div>
      {isOpen && <CodesDialog left={left} onClose={() => setOpen(false)} />}
    </div>
  )
}
