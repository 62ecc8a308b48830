import type { Profile } from '@markbook/shared/contract/auth'
import type { Ways } from '@markbook/shared/contract/outage'
import { Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { useMutation } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { Button } from '../../components/button.tsx'
import { CodeField } from '../../components/code-field.tsx'
import { Actions, Form } from '../../components/field.tsx'
import { FailureNotice, Notice } from '../../components/page.tsx'
import type { Asked } from './address-step.tsx'
import { useSecondsUntil, waitOf } from './countdown.ts'
import styles from './outside.module.css'
import { NoCodeHelp } from './ways-help.tsx'

const MINUTE = 60_000

/** What a code that was not taken means for whoever typed it; undefined for what has nothing to do with the code. */
function problemOf(failure: unknown, t: TFunction<'sign-in'>): string | undefined {
  const code = failure instanceof Failure ? failure.code : ''
  if (code === 'otp_invalid') return t('code.wrong')
  if (code === 'validation_failed') return t('code.eight')
  if (code !== 'otp_locked') return undefined
  const wait = waitOf(failure)
  return wait === null ? t('code.stopped') : t('code.locked', { count: Math.ceil(wait / MINUTE) })
}

type CodeStepProps = { asked: Asked; ways: Ways | undefined; onSignedIn: (profile: Profile) => void; onBack: () => void }

/** Then the code, of whatever way. */
export function CodeStep({ asked, ways, onSignedIn, onBack }: CodeStepProps) {
  const { t } = useTranslation(['sign-in', 'app'])
  const { email, shown = '' } = asked
  const [code, setCode] = useState(shown)
  const field = useRef<HTMLInputElement>(null)
  const submit = useRef<HTMLButtonElement>(null)
  const verify = useMutation({
    mutationFn: (token: string) => client.auth.verifyOtp({ body: { email, token } }),
    onSuccess: ({ user }) => onSignedIn(user),
  })
  useEffect(() => (shown ? submit : field).current?.focus(), [shown])
  const problem = problemOf(verify.error, t)
  return (
    <Form onSend={() => !verify.isPending && verify.mutate(code)}>
      <p role="status">{said(asked, ways, t)}</p>
      {shown && <Notice tone="good">{t('demo.code', { code: `${shown.slice(0, 4)} ${shown.slice(4)}` })}</Notice>}
      {!problem && <FailureNotice failure={verify.error} onRetry={() => verify.mutate(code)} />}
      <CodeField
        inputRef={field}
        label={t('code.label')}
        hint={t('code.hint')}
        error={problem}
        value={code}
        onChange={setCode}
        onWhole={(digits) => !verify.isPending && verify.mutate(digits)}
      />
      <Actions>
        <Button look="quiet" onClick={onBack}>
          {t('code.back')}
        </Button>
        <Button ref={submit} type="submit" look="primary" busy={verify.isPending} disabled={code.length < limits.otp.length}>
          {t('code.send')}
        </Button>
      </Actions>
      {asked.mailed && <Resend asked={asked} />}
      <NoCodeHelp ways={ways} />
    </Form>
  )
}

function said({ email, mailed, shown }: Asked, ways: Ways | undefined, t: TFunction<'sign-in'>): string {
  if (shown) return t('code.for', { email })
  if (!mailed) return t('code.own', { email })
  return t(ways?.mail === 'console' ? 'code.printed' : 'code.mailed', { email })
}

/** Another mail, once the server takes a wish for one. */
function Resend({ asked }: { asked: Asked }) {
  const { t } = useTranslation('sign-in')
  const [again, setAgain] = useState(asked.again)
  const seconds = useSecondsUntil(again)
  const send = useMutation({
    mutationFn: () => client.auth.sendOtp({ body: { email: asked.email } }),
    onSuccess: () => setAgain(Date.now() + limits.otp.resendAfter),
    onError: (failure) => setAgain(Date.now() + (waitOf(failure) ?? 0)),
  })
  const isEarly = send.error instanceof Failure && send.error.code === 'otp_too_soon'
  const wait = seconds > 120 ? t('again.minutes', { count: Math.ceil(seconds / 60) }) : t('again.seconds', { count: seconds })
  return (
    <div className={styles['plain']}>
      {!isEarly && <FailureNotice failure={send.error} />}
      {send.isSuccess && <Notice tone="good">{t('again.sent')}</Notice>}
      <div className={styles['split']}>
        <span>{seconds > 0 ? wait : t('again.ask')}</span>
        <Button size="small" busy={send.isPending} disabled={seconds > 0} onClick={() => send.mutate()}>
          {t('again.send')}
        </Button>
      </div>
    </div>
  )
}
