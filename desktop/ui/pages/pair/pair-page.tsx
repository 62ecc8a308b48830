import type { DesktopStatus } from '@markbook/shared/contract/desktop'
import { Failure } from '@markbook/shared/failures'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { desktopClient } from '../../api/client.ts'
import { queryClient } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Actions, Form, SaveActions, TextField } from '../../components/field.tsx'
import { Card, Loading, Notice } from '../../components/page.tsx'
import { useForm } from '../../components/use-form.ts'
import { NotFoundPage } from '../../frame/error-page.tsx'
import { issueOf, sentenceOf } from '../../words/failure.ts'
import { ErasedNotice } from '../sign-in/erased-notice.tsx'
import { StandalonePage } from '../sign-in/standalone-page.tsx'

const STATUS = ['desktop', 'status'] as const
const POLL_MS = 500
/** After this time, in ms, the page says that copying takes longer than usual. */
const LONG_COPY_MS = 30_000

/**
 * The first start of the desktop app: pair with a school's server by an invitation, or begin alone. The server decides what is possible
 * (`desktopContract`). A server that the desktop app did not start answers 404.
 */
export function PairPage() {
  const { t } = useTranslation('pair')
  const status = useQuery({
    queryKey: STATUS,
    queryFn: () => desktopClient.here(),
    retry: false,
    refetchInterval: ({ state }) => state.data?.state === 'copying' && POLL_MS,
    refetchIntervalInBackground: true,
  })
  useEffect(() => {
    document.title = t('title')
  }, [t])
  if (status.error instanceof Failure && status.error.status === 404) return <NotFoundPage />
  return (
    <StandalonePage wide title={t('heading')} lead={t('intro')}>
      {status.data ? <Steps status={status.data} /> : status.error ? <PairFailure failure={status.error} /> : <Loading />}
    </StandalonePage>
  )
}

function Steps({ status }: { status: DesktopStatus }) {
  const [isJoining, setJoining] = useState(false)
  if (status.state === 'copying' || status.state === 'joined') return <Copying status={status} />
  return (
    <>
      <ErasedNotice erased={status.erased} />
      {status.can_join && <JoinSchool onPending={setJoining} />}
      {status.state === 'empty' && <BeginAlone disabled={isJoining} />}
    </>
  )
}

/** The usual sentence for an unreachable server does not fit: this server is on the same computer. */
function PairFailure({ failure }: { failure: unknown }) {
  const { t } = useTranslation('pair')
  if (!failure) return null
  const isUnreachable = failure instanceof Failure && failure.status === 0
  return <Notice tone="bad">{isUnreachable ? t('unreachable') : sentenceOf(failure)}</Notice>
}

/** Asks for the school's address and an invitation, and shows an unknown certificate's fingerprint to compare. */
function JoinSchool({ onPending }: { onPending: (isPending: boolean) => void }) {
  const { t } = useTranslation('pair')
  const [address, setAddress] = useState('')
  const [code, setCode] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const join = useMutation({
    mutationFn: (trusted: { fingerprint?: string }) => desktopClient.join({ body: { address, code, ...trusted } }),
    onSuccess: (status) => queryClient.setQueryData(STATUS, status),
  })
  const { isPending, error } = join
  const isUnknown = error instanceof Failure && error.code === 'sync.not_trusted'
  const fingerprint = isUnknown ? issueOf(error, 'fingerprint') : undefined
  useEffect(() => onPending(isPending), [isPending, onPending])
  useEffect(() => {
    if (!isPending) (fingerprint ? heading : field).current?.focus()
  }, [isPending, fingerprint])
  if (fingerprint)
    return (
      <Card label={t('trustHeading')}>
        <h2 ref={heading} tabIndex={-1}>
          {t('trustHeading')}
        </h2>
        <p>{t('trust')}</p>
        <code style={{ overflowWrap: 'anywhere' }}>{fingerprint}</code>
        <Actions>
          <Button onClick={() => join.reset()}>{t('trustNo')}</Button>
          <Button look="primary" onClick={() => join.mutate({ fingerprint })}>
            {t('trustYes')}
          </Button>
        </Actions>
      </Card>
    )
  return (
    <Card>
      <Form onSend={() => !isPending && join.mutate({})}>
        <p>{t('askAt')}</p>
        <TextField
          ref={field}
          label={t('address')}
          hint={t('addressHint')}
          name="address"
          inputMode="url"
          spellCheck={false}
          value={address}
          error={issueOf(error, 'address')}
          onChange={({ target }) => setAddress(target.value)}
        />
        <TextField
          label={t('code')}
          hint={t('codeHint')}
          name="code"
          spellCheck={false}
          style={{ fontFamily: 'var(--mono)', textTransform: 'uppercase' }}
          value={code}
          error={issueOf(error, 'code')}
          onChange={({ target }) => setCode(target.value)}
        />
        <PairFailure failure={error} />
        <SaveActions action={t('join')} busy={isPending} busyWord={t('joining')} />
      </Form>
    </Card>
  )
}

/** Waits for the first copy of the school; then `/window` signs in the owner of this computer. */
function Copying({ status: { state, parent } }: { status: DesktopStatus }) {
  const { t } = useTranslation('pair')
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(setLong, LONG_COPY_MS, true)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    if (state !== 'copying') location.replace('/window')
  }, [state])
  return <p role="status">{t(isLong ? 'stillCopying' : 'copying', { parent: parent?.name })}</p>
}

function BeginAlone({ disabled }: { disabled: boolean }) {
  const { t } = useTranslation('pair')
  const { field, send, failure } = useForm({
    initial: { email: '' },
    save: (body) => desktopClient.alone({ body }),
    onSaved: () => location.replace('/'),
  })
  return (
    <Card label={t('aloneHeading')}>
      <Form onSend={send}>
        <h2>{t('aloneHeading')}</h2>
        <p>{t('alone')}</p>
        <TextField {...field('email')} label={t('email')} type="email" name="email" autoComplete="email" />
        <PairFailure failure={failure} />
        <Actions>
          <Button type="submit" disabled={disabled}>
            {t('aloneYes')}
          </Button>
        </Actions>
      </Form>
    </Card>
  )
}
