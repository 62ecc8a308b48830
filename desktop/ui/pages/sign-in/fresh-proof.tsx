import { Failure } from '@markbook/shared/failures'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client, desktopClient } from '../../api/client.ts'
import { useProofQuestion } from '../../api/fresh-proof.ts'
import { passkeyObstacle, proveWithPasskey } from '../../api/passkeys.ts'
import { ask } from '../../api/queries.ts'
import { useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { CloseButton, Dialog } from '../../components/dialog.tsx'
import { Actions, CodeField, Form } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { FailureNotice, Notice } from '../../components/page.tsx'
import { wholeCode } from '../../components/typed-code.ts'
import { isLoopback } from '../../frame/loopback.ts'
import { codeProblemOf } from './code-problem.ts'
import { demoCodeFor } from './demo-code.ts'

/** Asks the person to prove again who they are, when the server refuses a request for want of a fresh proof (docs/design/sign-in.md). */
export function FreshProof() {
  const close = useProofQuestion()
  return close && <ProofDialog onAnswer={close} />
}

type OnAnswer = { onAnswer: (isProved: boolean) => void }

function ProofDialog({ onAnswer }: OnAnswer) {
  const { t } = useTranslation('sign-in')
  const field = useRef<HTMLInputElement>(null)
  return (
    <Dialog title={t('proof.title')} lead={t('proof.lead')} first={field} onClose={() => onAnswer(false)}>
      <ByWindow onAnswer={onAnswer} />
      <ByPasskey onAnswer={onAnswer} />
      <ByCode field={field} onAnswer={onAnswer} />
    </Dialog>
  )
}

/** In the window of the desktop app: the person who is signed in to this computer is its owner. */
function ByWindow({ onAnswer }: OnAnswer) {
  const { t } = useTranslation('sign-in')
  const { email } = useProfile()
  const window = useQuery({
    queryKey: ['window'],
    queryFn: () => desktopClient.here().catch(() => null),
    enabled: isLoopback(location.hostname),
    gcTime: 0,
  })
  const enter = useMutation({ mutationFn: () => desktopClient.enter(), onSuccess: () => onAnswer(true) })
  if (window.data?.person?.email !== email) return null
  return (
    <div className={layout['list']}>
      <p>{t('proof.window')}</p>
      <FailureNotice failure={enter.error} />
      <div className={layout['wrap']}>
        <Button look="primary" busy={enter.isPending} onClick={() => enter.mutate()}>
          {t('proof.byWindow')}
        </Button>
      </div>
    </div>
  )
}

/** With one of the person's passkeys for this host name. */
function ByPasskey({ onAnswer }: OnAnswer) {
  const { t } = useTranslation('sign-in')
  const own = useQuery({ ...ask('passkeys', 'list'), enabled: passkeyObstacle() === 'none' })
  const prove = useMutation({ mutationFn: proveWithPasskey, onSuccess: () => onAnswer(true) })
  if (!own.data?.some(({ host }) => host === location.hostname)) return null
  return (
    <div className={layout['list']}>
      <FailureNotice failure={prove.error} />
      <div className={layout['wrap']}>
        <Button busy={prove.isPending} onClick={() => prove.mutate()}>
          {t('passkey.prove')}
        </Button>
      </div>
    </div>
  )
}

function ByCode({ field, onAnswer }: OnAnswer & { field: React.RefObject<HTMLInputElement | null> }) {
  const { t } = useTranslation('sign-in')
  const { email } = useProfile()
  const { data: methods } = useQuery(ask('outage', 'ways'))
  const [code, setCode] = useState('')
  const [isIncomplete, setIncomplete] = useState(false)
  const isShown = methods?.demo?.some((account) => account.email === email) ?? false
  const mail = useMutation({
    mutationFn: async () => (isShown ? setCode(await demoCodeFor(email)) : void (await client.auth.sendOtp({ body: { email } }))),
    onSuccess: () => field.current?.focus(),
  })
  const prove = useMutation({
    mutationFn: (token: string) => client.auth.prove({ body: { token } }),
    onSuccess: () => onAnswer(true),
    // The session has ended: the app asks to sign in again, which is a proof too.
    onError: (failure) => failure instanceof Failure && failure.status === 401 && onAnswer(false),
  })
  const problem = isIncomplete ? t('code.incomplete') : codeProblemOf(prove.error, t)
  const send = (whole: string | null) => {
    setIncomplete(whole === null)
    if (whole !== null && !prove.isPending) prove.mutate(whole)
  }
  const type = (typed: string) => {
    setIncomplete(false)
    setCode(typed)
  }
  return (
    <Form onSend={() => send(wholeCode(code))}>
      {!problem && <FailureNotice failure={prove.error} />}
      <CodeField
        inputRef={field}
        label={t('code.label')}
        hint={t('proof.hint')}
        error={problem}
        value={code}
        onChange={type}
        onWhole={send}
      />
      <div className={layout['split']}>
        <span>
          {isShown
            ? t('proof.demo')
            : methods?.mail === 'console'
              ? `${t('mail.console')} ${t('mail.consoleDo')}`
              : t(methods?.mail === 'failing' ? 'proof.noMail' : 'proof.noCode')}
        </span>
        <Button size="small" busy={mail.isPending} onClick={() => mail.mutate()}>
          {t(isShown ? 'proof.fill' : 'address.send')}
        </Button>
      </div>
      <FailureNotice failure={mail.error} />
      {mail.isSuccess && !isShown && (
        <Notice tone="good">{t(methods?.mail === 'console' ? 'code.printed' : 'code.mailed', { email })}</Notice>
      )}
      <Actions>
        <CloseButton />
        <Button type="submit" look="primary" busy={prove.isPending} disabled={code === ''}>
          {t('proof.send')}
        </Button>
      </Actions>
    </Form>
  )
}
