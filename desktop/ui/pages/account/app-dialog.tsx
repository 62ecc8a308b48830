import { Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { CodeField } from '../../components/code-field.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions, Form } from '../../components/field.tsx'
import { Answer, FailureNotice } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import styles from './account.module.css'
import { QrCode } from './qr-code.tsx'

/** A secret in groups of four, for those who type it by hand. */
const grouped = (secret: string) => secret.match(/.{1,4}/g)?.join(' ') ?? secret

/** Scan, type what the app shows, done. Nothing has changed until the code was right. */
export function AppDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['account', 'app'])
  const { tell } = useToasts()
  const [code, setCode] = useState('')
  // A secret is made for this window and never asked for twice.
  const enrolment = useQuery({
    queryKey: ['new-app'],
    queryFn: () => client.outage.enrolTotp(),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnReconnect: false,
  })
  const confirm = useSave('outage', 'confirmTotp')
  const send = (token: string) => {
    if (confirm.isPending) return
    const onSuccess = () => {
      tell(t('app.ready'))
      onClose()
    }
    confirm.mutate({ body: { token } }, { onSuccess })
  }
  const isWrong = confirm.error instanceof Failure && confirm.error.code === 'otp_invalid'
  return (
    <Dialog open title={t('app.dialog')} lead={t('app.lead')} onClose={onClose}>
      <Answer of={enrolment}>
        {({ otpauth_uri, secret }) => (
          <Form onSend={() => send(code)}>
            <div className={styles['scan']}>
              <QrCode text={otpauth_uri} label={t('app.qr')} />
              <ol>
                <li>{t('app.step1')}</li>
                <li>{t('app.step2')}</li>
                <li>
                  {t('app.step3')} <code className={styles['secret']}>{grouped(secret)}</code>
                </li>
              </ol>
            </div>
            {!isWrong && <FailureNotice failure={confirm.error} />}
            <CodeField
              label={t('app.code')}
              hint={t('app.codeHint')}
              error={isWrong ? t('app.wrong') : undefined}
              value={code}
              onChange={setCode}
              onWhole={send}
            />
            <Actions>
              <Button onClick={onClose}>{t('app:action.cancel')}</Button>
              <Button type="submit" look="primary" busy={confirm.isPending} disabled={code.length < limits.otp.length}>
                {t('app.confirm')}
              </Button>
            </Actions>
          </Form>
        )}
      </Answer>
    </Dialog>
  )
}
