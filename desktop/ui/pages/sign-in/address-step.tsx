import type { Ways } from '@markbook/shared/contract/outage'
import { Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { Button } from '../../components/button.tsx'
import { Actions, Checkbox, Form, TextField } from '../../components/field.tsx'
import { FailureNotice } from '../../components/page.tsx'
import { issueOf } from '../../words/failure.ts'
import { waitOf } from './countdown.ts'
import { rememberAddress, rememberedAddress } from './remembered.ts'

/** A code for this address is to be typed: `mailed` from now on or a moment ago, and when another may be asked for, in ms. */
export type Asked = { email: string; mailed: boolean; again: number; shown?: string }

type AddressStepProps = { email: string; fixed: boolean; ways: Ways | undefined; onAsked: (asked: Asked) => void }

/** First the address. Who has a code already, from an app or on paper, goes on without a mail. */
export function AddressStep({ email: given, fixed, ways, onAsked }: AddressStepProps) {
  const { t } = useTranslation(['sign-in', 'app'])
  const [email, setEmail] = useState(given)
  const [isKept, setKept] = useState(rememberedAddress() !== '')
  const [problem, setProblem] = useState<string>()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const send = useMutation({
    mutationFn: () => client.auth.sendOtp({ body: { email } }),
    onSuccess: () => onAsked({ email, mailed: true, again: Date.now() + limits.otp.resendAfter }),
    onError: (failure) => {
      // One was sent a moment ago: it is the one to type.
      if (failure instanceof Failure && failure.code === 'otp_too_soon')
        onAsked({ email, mailed: true, again: Date.now() + (waitOf(failure) ?? limits.otp.resendAfter) })
    },
  })
  const begin = (next: () => void) => {
    const isAddress = /^[^\s@]+@[^\s@]+$/.test(email.trim())
    setProblem(isAddress ? undefined : t('address.wrong'))
    if (!isAddress) return
    if (!fixed) rememberAddress(isKept ? email.trim() : null)
    next()
  }
  const byMail = () => begin(() => send.mutate())
  const withCode = () => begin(() => onAsked({ email, mailed: false, again: 0 }))
  const isFailing = ways?.mail === 'failing'
  return (
    <Form onSend={isFailing ? withCode : byMail}>
      <FailureNotice failure={send.error} />
      <TextField
        ref={field}
        label={t('address.label')}
        type="email"
        name="email"
        autoComplete="username"
        spellCheck={false}
        readOnly={fixed}
        value={email}
        error={problem ?? issueOf(send.error, 'email')}
        onChange={({ target }) => setEmail(target.value)}
      />
      {!fixed && <Checkbox label={t('address.remember')} checked={isKept} onChange={({ target }) => setKept(target.checked)} />}
      <Actions>
        <Button look={isFailing ? 'plain' : 'quiet'} busy={isFailing && send.isPending} onClick={isFailing ? byMail : withCode}>
          {t(isFailing ? 'address.mailAnyway' : 'address.haveCode')}
        </Button>
        <Button type="submit" look="primary" busy={!isFailing && send.isPending}>
          {t(isFailing ? 'address.typeCode' : 'address.send')}
        </Button>
      </Actions>
    </Form>
  )
}
