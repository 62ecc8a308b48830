import type { OwnSignInMethods } from '@markbook/shared/contract/sign-in-methods'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask, save, useSave } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmButton } from '../../components/dialog.tsx'
import layout from '../../components/layout.module.css'
import { Badge, FailureNotice, Notice } from '../../components/page.tsx'
import { tell } from '../../components/toasts.tsx'
import { moment } from '../../words/format.ts'
import styles from './account.module.css'

/** Whether a second factor is asked for after a code by mail. */
export function SecondFactor({ own: { confirmed_at, second_since } }: { own: OwnSignInMethods }) {
  const { t } = useTranslation('account')
  const profile = useProfile()
  const passkeys = useQuery(ask('passkeys', 'list'))
  const begin = useSave('outage', 'askForSecond')
  const hasSome = confirmed_at !== null || (passkeys.data?.length ?? 0) > 0
  return (
    <div className={`${layout['list']} ${styles['way']}`}>
      <div className={layout['split']}>
        <h3>{t('second.title')}</h3>
        {second_since ? <Badge tone="good">{t('second.on', { when: moment(second_since) })}</Badge> : <Badge>{t('second.off')}</Badge>}
      </div>
      <p>{t('second.text')}</p>
      {!second_since && isAdmin(profile) && <Notice tone="info">{t('second.advice')}</Notice>}
      <FailureNotice failure={begin.error} />
      {!second_since && !hasSome && <p className={layout['note']}>{t('second.first')}</p>}
      <div className={layout['wrap']}>
        {second_since ? (
          <ConfirmButton
            look="danger"
            title={t('second.stopTitle')}
            text={t('second.stopText')}
            action={t('second.stop')}
            onConfirm={async () => {
              await save('outage', 'askForNoSecond', undefined)
              tell(t('second.stopped'))
            }}
          />
        ) : (
          <Button
            disabled={!hasSome}
            busy={begin.isPending}
            onClick={() => begin.mutate(undefined, { onSuccess: () => tell(t('second.asked')) })}
          >
            {t('second.ask')}
          </Button>
        )}
      </div>
    </div>
  )
}
