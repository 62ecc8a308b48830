import { clientOf } from '@markbook/shared/contract/client'
import type { DemoAccount, demoContract } from '@markbook/shared/contract/demo'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { FailureNotice } from '../../components/page.tsx'
import styles from './outside.module.css'

/** Of the contract only what is needed to call it. */
const code = { method: 'POST', path: '/api/demo/code' } as (typeof demoContract)['code']
const { demo } = clientOf({ demo: { code } }, { baseUrl: location.origin, send: (request) => fetch(request) })

type DemoAccountsProps = { accounts: readonly DemoAccount[]; onCode: (email: string, code: string) => void }

/** In a demonstration: the people whom a newcomer may be. A press brings the code that would otherwise be mailed. */
export function DemoAccounts({ accounts, onCode }: DemoAccountsProps) {
  const { t } = useTranslation('sign-in')
  const ask = useMutation({
    mutationFn: async (email: string) => ({ email, ...(await demo.code({ body: { email } })) }),
    onSuccess: (answer) => onCode(answer.email, answer.code),
  })
  const first = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    // Not from under somebody who types an address, or whose address this computer remembers.
    const { activeElement: at } = document
    if (!(at instanceof HTMLInputElement && at.value !== '')) first.current?.focus()
  }, [])
  return (
    <div className={styles['plain']}>
      <h2>{t('demo.title')}</h2>
      <p>{t('demo.lead')}</p>
      <FailureNotice failure={ask.error} />
      <ul className={styles['accounts']}>
        {accounts.map(({ email, first_name, last_name, who }, at) => (
          <li key={email}>
            <button
              ref={at === 0 ? first : undefined}
              type="button"
              className={styles['account']}
              disabled={ask.isPending}
              onClick={() => ask.mutate(email)}
            >
              <strong>
                {first_name} {last_name}
              </strong>
              <span>{t(`demo.${who}`)}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
