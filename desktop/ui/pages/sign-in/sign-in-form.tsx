import type { Profile } from '@markbook/shared/contract/auth'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { AddressStep, type Asked } from './address-step.tsx'
import { CodeStep } from './code-step.tsx'
import { DemoAccounts } from './demo-accounts.tsx'
import styles from './outside.module.css'
import { rememberedAddress } from './remembered.ts'
import { MailNotice } from './ways-help.tsx'

/** How often the page looks whether mail leaves again, ms. */
const LOOKS = 20_000

type SignInFormProps = { email?: string; onSignedIn: (profile: Profile) => void }

/** Address, then code. With `email` it is for that person alone. */
export function SignInForm({ email, onSignedIn }: SignInFormProps) {
  const { data: ways } = useQuery({ ...ask('outage', 'ways'), refetchInterval: LOOKS })
  const { t } = useTranslation('sign-in')
  const [asked, setAsked] = useState<Asked | null>(null)
  const [address, setAddress] = useState(email ?? rememberedAddress())
  const begin = (next: Asked) => {
    setAddress(next.email)
    setAsked(next)
  }
  if (asked) return <CodeStep key={asked.shown} asked={asked} ways={ways} onSignedIn={onSignedIn} onBack={() => setAsked(null)} />
  return (
    <>
      {!email && ways?.demo && (
        <DemoAccounts accounts={ways.demo} onCode={(to, shown) => begin({ email: to, mailed: false, again: 0, shown })} />
      )}
      {!email && ways?.demo && <h2 className={styles['or']}>{t('demo.or')}</h2>}
      <MailNotice ways={ways} />
      <AddressStep email={address} fixed={email !== undefined} ways={ways} onAsked={begin} />
    </>
  )
}
