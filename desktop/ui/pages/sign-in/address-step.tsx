import type { Ways } from '@markbook/shared/contract/outage'
import { Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { Button } from '../../components/button.tsx'
import { Actions, Checkbox, Form, TextField } from '../../components/field.tsx'
import { FailureNotice } from '../../components/page.tsx'
import { issueOf } from '../../words/failure.ts'
import { waitOf } from './countdown.ts'
import { takeOver } from './painted.ts'
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
  const send = useMutation({
    mutationFn: (to: string) => client.auth.sendOtp({ body: { email: to } }),
    onSuccess: (_, to) => onAsked({ email: to, mailed: true, again: Date.now() + limits.otp.resendAfter }),
    onError: (failure, to) => {
      // One was sent a moment ago: it is the one to type.
      if (failure instanceof Failure && failure.code === 'otp_too_soon')
        onAsked({ email: to, mailed: true, again: Date.now() + (waitOf(failure) ?? limits.otp.resendAfter) })
    },
  })
  const begin = (next: (to: string) => void, to = email, isToKeep = isKept) => {
    const isAddress = /^[^\s@]+@[^\s@]+$/.test(to.trim())
    setProblem(isAddress ? undefined : t('address.wrong'))
    if (!isAddress) return
    if (!fixed) rememberAddress(isToKeep ? to.trim() : null)
    next(to)
  }
  const mailTo = (to: string) => send.mutate(to)
  const askCodeOf = (to: string) => onAsked({ email: to, mailed: false, again: 0 })
  const isTakenOver = useRef(false)
  // Before anything else is heard: what is typed next must find what was typed before.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is taken over once.
  useLayoutEffect(() => {
    const begun = takeOver(field.current?.form)
    if (!begun) return
    isTakenOver.current = true
    setEmail(begun.email)
    setKept(begun.isKept)
    if (begun.wish) begin(begun.wish === 'mail' ? mailTo : askCodeOf, begun.asked, begun.isKept)
  }, [])
  // A newcomer to a demonstration begins above, with the people to choose from.
  const isFirst = !ways?.demo || email !== ''
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page opens.
  useEffect(() => {
    if (isFirst && !isTakenOver.current) field.current?.focus()
  }, [])
  const byMail = () => begin(mailTo)
  const withCode = () => begin(askCodeOf)
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
