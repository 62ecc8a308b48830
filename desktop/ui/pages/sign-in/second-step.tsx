import type { Profile } from '@markbook/shared/contract/auth'
import { Failure } from '@markbook/shared/failures'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { passkeyAssertion, passkeyObstacle } from '../../api/passkeys.ts'
import { Button } from '../../components/button.tsx'
import { Actions, CodeField, Form } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { FailureNotice } from '../../components/page.tsx'
import { wholeCode } from '../../components/typed-code.ts'
import { codeProblemOf } from './code-problem.ts'

/** Whether the code by mail was correct and a second factor is needed. */
export const needsSecond = (failure: unknown): boolean => failure instanceof Failure && failure.code === 'auth.second_needed'

type Second = { token: string } | 'passkey'
type SecondStepProps = { email: string; token: string; onSignedIn: (profile: Profile) => void; onBack: () => void }

/** Asks for the second factor after a correct code by mail, for people who chose one (docs/design/sign-in.md). */
export function SecondStep({ email, token, onSignedIn, onBack }: SecondStepProps) {
  const { t } = useTranslation('sign-in')
  const [code, setCode] = useState('')
  const [isIncomplete, setIncomplete] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const enter = useMutation({
    mutationFn: async (chosen: Second) => {
      const second = chosen === 'passkey' ? { credential: await passkeyAssertion() } : chosen
      return client.auth.verifyOtp({ body: { email, token, second } })
    },
    onSuccess: ({ user }) => onSignedIn(user),
  })
  const isWrong = enter.error instanceof Failure && enter.error.code === 'auth.second_invalid'
  const problem = isIncomplete ? t('code.incomplete') : isWrong ? t('second.wrong') : codeProblemOf(enter.error, t)
  const send = (whole: string | null) => {
    setIncomplete(whole === null)
    if (whole !== null && !enter.isPending) enter.mutate({ token: whole })
  }
  const type = (typed: string) => {
    setIncomplete(false)
    setCode(typed)
  }
  return (
    <Form onSend={() => send(wholeCode(code))}>
      <p role="status">{t('second.lead')}</p>
      {!problem && <FailureNotice failure={enter.error} />}
      <CodeField inputRef={field} label={t('second.label')} error={problem} value={code} onChange={type} onWhole={send} />
      {passkeyObstacle() === 'none' && (
        <div className={layout['wrap']}>
          <Button busy={enter.isPending} onClick={() => enter.mutate('passkey')}>
            {t('passkey.prove')}
          </Button>
        </div>
      )}
      <Actions>
        <Button look="quiet" onClick={onBack}>
          {t('code.back')}
        </Button>
        <Button type="submit" look="primary" busy={enter.isPending} disabled={code === ''}>
          {t('code.send')}
        </Button>
      </Actions>
      <p className={layout['note']}>{t('second.lost')}</p>
    </Form>
  )
}
