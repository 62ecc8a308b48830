import type { Profile } from '@markbook/shared/contract/auth'
import type { DemoAccount } from '@markbook/shared/contract/demo'
import type { SignInMethods } from '@markbook/shared/contract/sign-in-methods'
import { Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { signInWithPasskey } from '../../api/passkeys.ts'
import { ask } from '../../api/queries.ts'
import { readStored, writeStored } from '../../components/browser-storage.ts'
import { Button } from '../../components/button.tsx'
import { Actions, Checkbox, CodeField, Form, TextField } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Card, FailureNotice, Notice } from '../../components/page.tsx'
import { wholeCode } from '../../components/typed-code.ts'
import { issueOf } from '../../words/failure.ts'
import { codeProblemOf } from './code-problem.ts'
import { retryAfterMs, useSecondsUntil } from './countdown.ts'
import { demoCodeFor } from './demo-code.ts'
import { ErasedNotice } from './erased-notice.tsx'
import { type Invited, invitedBy } from './invited.ts'
import { needsSecond, SecondStep } from './second-step.tsx'
import styles from './standalone-page.module.css'
import { StandalonePage } from './standalone-page.tsx'

/** How often the page reads whether the server can send mail, in ms. */
const POLL_MS = 20_000
/** The address of the person who last chose to be remembered in this browser. `public/early.js` reads it too. */
const ADDRESS_KEY = 'markbook.address'
const rememberedAddress = () => readStored(ADDRESS_KEY) ?? ''

/** The sign-in page without a router, so that it can be prerendered. `isBack`: the person returns to a page afterwards. */
export function SignInContent({ isBack, onSignedIn }: { isBack: boolean; onSignedIn: (profile: Profile) => void }) {
  const { t } = useTranslation('sign-in')
  const invited = useInvited()
  if (invited)
    return (
      <StandalonePage
        title={invited.school ? t('invitation.title', { school: invited.school }) : t('welcome.invited')}
        lead={<InvitedLead invited={invited} />}
      >
        <Card>
          <SignInForm key="invited" invited={invited} onSignedIn={onSignedIn} />
        </Card>
      </StandalonePage>
    )
  return (
    <StandalonePage title={t('title')} lead={isBack ? t('leadBack') : t('lead')}>
      <Card>
        <SignInForm onSignedIn={onSignedIn} />
      </Card>
    </StandalonePage>
  )
}

/** Who invites to which school, and what to do first. */
function InvitedLead({ invited: { school, by, code } }: { invited: Invited }) {
  const { t } = useTranslation('sign-in')
  const who = school && (by ? t('invitation.by', { by, school }) : t('invitation.bySchool', { school }))
  return (
    <>
      {who ?? t('invitation.unnamed')} {t(code ? 'invitation.withCode' : 'invitation.byMail')}
    </>
  )
}

/**
 * A code to type. `again`: when another mail may be requested, in ms. `shown`: the code, in a demonstration; `filledIn`: the code of an
 * invitation.
 */
type CodeRequest = { email: string; mailed: boolean; again: number; shown?: ShownCode; filledIn?: string }

/** `ends`: when the server refuses it, in ms. */
type ShownCode = { code: string; ends: number }
/** The server runs on the same machine, and so has the same clock. */
const shownCodeFor = async (email: string): Promise<ShownCode> => {
  const ends = Date.now() + limits.otp.lifetimeMs
  return { code: await demoCodeFor(email), ends }
}

/** The invitation in the page's address; null in the first render, which must equal the prerendered page. */
function useInvited(): Invited | null {
  const [invited, setInvited] = useState<Invited | null>(null)
  useEffect(() => setInvited(invitedBy(location.hash)), [])
  return invited
}

type SignInFormProps = { email?: string; invited?: Invited; onSignedIn: (profile: Profile) => void }

/** The address, then the code. `email`: only this person can sign in; `invited`: an invitation's link has filled in the form. */
export function SignInForm({ email, invited, onSignedIn }: SignInFormProps) {
  const { data: methods } = useQuery({ ...ask('outage', 'ways'), refetchInterval: POLL_MS })
  const { t } = useTranslation('sign-in')
  const [request, setRequest] = useState<CodeRequest | null>(
    invited?.code ? { email: invited.email, mailed: false, again: 0, filledIn: invited.code } : null,
  )
  const [address, setAddress] = useState(email ?? invited?.email ?? rememberedAddress())
  const begin = (next: CodeRequest) => {
    setAddress(next.email)
    setRequest(next)
  }
  if (request)
    return (
      <CodeStep
        key={request.shown?.code}
        request={request}
        methods={methods}
        onSignedIn={onSignedIn}
        onBack={() => setRequest(null)}
        onShown={(shown) => setRequest({ ...request, shown })}
      />
    )
  return (
    <>
      {!email && methods?.demo && (
        <DemoAccounts accounts={methods.demo} onCode={(to, shown) => begin({ email: to, mailed: false, again: 0, shown })} />
      )}
      {!email && methods?.demo && <h2 className={styles['or']}>{t('demo.or')}</h2>}
      <ErasedNotice erased={methods?.erased} />
      <MailNotice methods={methods} />
      <AddressStep key={address} email={address} fixed={email !== undefined} methods={methods} onRequest={begin} />
      <ByPasskey onSignedIn={onSignedIn} />
      {!email && !invited && methods?.setup_code && !methods.one_school && <FoundingNote />}
    </>
  )
}

/** Shown where a school can be created here: what is needed, and where to find it. */
function FoundingNote() {
  const { t } = useTranslation('sign-in')
  return (
    <Notice>
      <span>
        <strong>{t('founding.title')}</strong> {t('founding.text')}
      </span>
    </Notice>
  )
}

/**
 * Signs in with a passkey, without address and code. Hidden unless `public/early.js` found that this browser may have passkeys for this
 * site.
 */
function ByPasskey({ onSignedIn }: Pick<SignInFormProps, 'onSignedIn'>) {
  const { t } = useTranslation('sign-in')
  const enter = useMutation({ mutationFn: signInWithPasskey, onSuccess: onSignedIn })
  return (
    <div className={styles['passkey']}>
      <FailureNotice failure={enter.error} />
      <div className={layout['wrap']}>
        <Button busy={enter.isPending} onClick={() => enter.mutate()}>
          {t('passkey.signIn')}
        </Button>
      </div>
    </div>
  )
}

type AddressStepProps = { email: string; fixed: boolean; methods: SignInMethods | undefined; onRequest: (request: CodeRequest) => void }

/** Asks for the address. A person with a code from an app or on paper continues without a mail. */
function AddressStep({ email: initial, fixed, methods, onRequest }: AddressStepProps) {
  const { t } = useTranslation(['sign-in', 'app'])
  const [problem, setProblem] = useState<string>()
  // Uncontrolled, so that text typed before hydration stays in the fields.
  const field = useRef<HTMLInputElement>(null)
  const box = useRef<HTMLInputElement>(null)
  const send = useMutation({
    mutationFn: (to: string) => client.auth.sendOtp({ body: { email: to } }),
    onSuccess: (_, to) => onRequest({ email: to, mailed: true, again: Date.now() + limits.otp.resendAfterMs }),
    onError: (failure, to) => {
      // The code that was sent before is still valid.
      if (isFailure(failure, 'otp_too_soon'))
        onRequest({ email: to, mailed: true, again: Date.now() + (retryAfterMs(failure) ?? limits.otp.resendAfterMs) })
    },
  })
  const begin = (next: (to: string) => void) => {
    const to = field.current?.value ?? ''
    const isAddress = /^[^\s@]+@[^\s@]+$/.test(to.trim())
    setProblem(isAddress ? undefined : t('address.wrong'))
    if (!isAddress) return
    if (!fixed) writeStored(ADDRESS_KEY, box.current?.checked ? to.trim() : null)
    next(to)
  }
  const byMail = () => begin((to) => send.mutate(to))
  const withCode = () => begin((to) => onRequest({ email: to, mailed: false, again: 0 }))
  const isFailing = methods?.mail === 'failing'
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
        // In a demonstration the list of accounts has the focus.
        autoFocus={!methods?.demo || initial !== ''}
        defaultValue={initial}
        error={problem ?? issueOf(send.error, 'email')}
      />
      {!fixed && <Checkbox label={t('address.remember')} defaultChecked={rememberedAddress() !== ''} ref={box} />}
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

type DemoAccountsProps = { accounts: readonly DemoAccount[]; onCode: (email: string, shown: ShownCode) => void }

/** The accounts of a demonstration. The server returns the code that would otherwise be mailed. */
function DemoAccounts({ accounts, onCode }: DemoAccountsProps) {
  const { t } = useTranslation('sign-in')
  const request = useMutation({
    mutationFn: shownCodeFor,
    onSuccess: (shown, email) => onCode(email, shown),
  })
  const first = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    // Not while a person types an address, or where one is remembered.
    const { activeElement: at } = document
    if (!(at instanceof HTMLInputElement && at.value !== '')) first.current?.focus()
  }, [])
  return (
    <div className={layout['list']}>
      <h2>{t('demo.title')}</h2>
      <p>{t('demo.lead')}</p>
      <FailureNotice failure={request.error} />
      <ul className={layout['stack']}>
        {accounts.map(({ email, first_name, last_name, who }, at) => (
          <li key={email}>
            <button
              ref={at === 0 ? first : undefined}
              type="button"
              className={styles['account']}
              disabled={request.isPending}
              onClick={() => request.mutate(email)}
            >
              <strong>
                {first_name} {last_name}
              </strong>
              <span className={layout['note']}>{t(`demo.${who}`)}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

type CodeStepProps = {
  request: CodeRequest
  methods: SignInMethods | undefined
  onSignedIn: (profile: Profile) => void
  onBack: () => void
  onShown: (shown: ShownCode) => void
}

/** Asks for the code: from a mail, an app, paper, or an administrator. */
function CodeStep({ request, methods, onSignedIn, onBack, onShown }: CodeStepProps) {
  const { t } = useTranslation(['sign-in', 'app'])
  const { email, shown, filledIn = '' } = request
  const given = shown?.code ?? filledIn
  const [code, setCode] = useState(given)
  const [isIncomplete, setIncomplete] = useState(false)
  const [letters, setLetters] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const submit = useRef<HTMLButtonElement>(null)
  const secondsLeft = useSecondsUntil(shown?.ends ?? 0)
  const verify = useMutation({
    mutationFn: (token: string) => client.auth.verifyOtp({ body: { email, token } }),
    onSuccess: ({ user }) => onSignedIn(user),
  })
  useEffect(() => (given ? submit : field).current?.focus(), [given])
  if (needsSecond(verify.error)) return <SecondStep email={email} token={verify.variables ?? ''} onSignedIn={onSignedIn} onBack={onBack} />
  const isShownRefused = shown && isFailure(verify.error, 'otp_invalid') && verify.variables === shown.code
  const hasShownEnded = shown && (secondsLeft === 0 || isShownRefused)
  const value = hasShownEnded && code === shown.code ? '' : code
  const problem = isIncomplete ? t('code.incomplete') : isShownRefused ? undefined : codeProblemOf(verify.error, t)
  const send = (whole: string | null) => {
    setIncomplete(whole === null)
    if (whole !== null && !verify.isPending) verify.mutate(whole)
  }
  const type = (typed: string) => {
    setIncomplete(false)
    setCode(typed)
  }
  const switchLetters = () => {
    setLetters(!letters)
    field.current?.focus()
  }
  return (
    <Form onSend={() => send(wholeCode(value))}>
      <p role="status">{statusText(request, methods, t)}</p>
      {shown && !hasShownEnded && <Notice tone="good">{t('demo.code', { code: grouped(shown.code) })}</Notice>}
      {hasShownEnded && <EndedCode email={email} onShown={onShown} />}
      {!problem && !isShownRefused && <FailureNotice failure={verify.error} onRetry={() => send(wholeCode(value))} />}
      <CodeField
        inputRef={field}
        label={t('code.label')}
        hint={given ? undefined : t(letters ? 'code.hintPrinted' : 'code.hint')}
        error={problem}
        value={value}
        letters={letters}
        onChange={type}
        onWhole={send}
      />
      {!given && (
        <div className={styles['touch']}>
          <Button size="small" onClick={switchLetters}>
            {t(letters ? 'code.digits' : 'code.letters')}
          </Button>
        </div>
      )}
      <Actions>
        <Button look="quiet" onClick={onBack}>
          {t('code.back')}
        </Button>
        <Button ref={submit} type="submit" look="primary" busy={verify.isPending} disabled={value === ''}>
          {t('code.send')}
        </Button>
      </Actions>
      {request.mailed && <Resend request={request} />}
      <NoCodeHelp methods={methods} isOpen={isFailure(verify.error, 'otp_locked')} />
    </Form>
  )
}

const isFailure = (failure: unknown, code: string) => failure instanceof Failure && failure.code === code
/** With a space that ends no line. */
const grouped = (code: string) => `${code.slice(0, 4)}\u00a0${code.slice(4)}`

/** In a demonstration: the shown code is no longer accepted. */
function EndedCode({ email, onShown }: { email: string; onShown: (shown: ShownCode) => void }) {
  const { t } = useTranslation('sign-in')
  const renew = useMutation({ mutationFn: () => shownCodeFor(email), onSuccess: onShown })
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    // Not while another code is typed.
    if (!(document.activeElement instanceof HTMLInputElement)) button.current?.focus()
  }, [])
  return (
    <>
      <Notice tone="warn">
        <div className={layout['split']}>
          <span>{t('demo.ended')}</span>
          <Button ref={button} size="small" busy={renew.isPending} onClick={() => renew.mutate()}>
            {t('demo.renew')}
          </Button>
        </div>
      </Notice>
      <FailureNotice failure={renew.error} />
    </>
  )
}

function statusText(request: CodeRequest, methods: SignInMethods | undefined, t: TFunction<'sign-in'>): string {
  const { email, mailed, shown, filledIn } = request
  if (shown) return t('code.for', { email })
  if (filledIn) return t('code.invited', { email })
  if (!mailed) return t('code.own', { email })
  return t(methods?.mail === 'console' ? 'code.printed' : 'code.mailed', { email })
}

/** Requests another mail, as soon as the server allows it. */
function Resend({ request }: { request: CodeRequest }) {
  const { t } = useTranslation('sign-in')
  const [again, setAgain] = useState(request.again)
  const seconds = useSecondsUntil(again)
  const send = useMutation({
    mutationFn: () => client.auth.sendOtp({ body: { email: request.email } }),
    onSuccess: () => setAgain(Date.now() + limits.otp.resendAfterMs),
    onError: (failure) => setAgain(Date.now() + (retryAfterMs(failure) ?? 0)),
  })
  const isEarly = isFailure(send.error, 'otp_too_soon')
  const wait = seconds > 120 ? t('again.minutes', { count: Math.ceil(seconds / 60) }) : t('again.seconds', { count: seconds })
  return (
    <div className={styles['plain']}>
      {!isEarly && <FailureNotice failure={send.error} />}
      {send.isSuccess && <Notice tone="good">{t('again.sent')}</Notice>}
      <div className={layout['split']}>
        <span>{seconds > 0 ? wait : t('again.ask')}</span>
        <Button size="small" busy={send.isPending} disabled={seconds > 0} onClick={() => send.mutate()}>
          {t('again.send')}
        </Button>
      </div>
    </div>
  )
}

/** What to do where a mailed code does not arrive, the easiest first. */
function OtherWays({ methods }: { methods: SignInMethods }) {
  const { t } = useTranslation('sign-in')
  return (
    <ul>
      {methods.totp && <li>{t('ways.totp')}</li>}
      {methods.recovery && <li>{t('ways.recovery')}</li>}
      <li>{t('ways.invitation')}</li>
      {methods.desk && <li>{t('ways.desk')}</li>}
      <li>{t('ways.console')}</li>
    </ul>
  )
}

/** Warns that mails cannot be sent. Nothing where they can, or where a demonstration shows codes. */
function MailNotice({ methods }: { methods: SignInMethods | undefined }) {
  const { t } = useTranslation('sign-in')
  if (!methods || methods.mail === 'ok' || methods.demo) return null
  return (
    <Notice tone={methods.mail === 'failing' ? 'warn' : 'info'}>
      <div className={styles['plain']}>
        <p>
          <strong>{t(`mail.${methods.mail}`)}</strong> {t(`mail.${methods.mail}Do`)}
        </p>
        {methods.mail === 'failing' && <OtherWays methods={methods} />}
      </div>
    </Notice>
  )
}

/** Help beside the field for the code. It opens by itself while typed codes are not accepted. */
function NoCodeHelp({ methods, isOpen }: { methods: SignInMethods | undefined; isOpen: boolean }) {
  const { t } = useTranslation('sign-in')
  if (!methods) return null
  return (
    <div className={styles['plain']}>
      <details open={isOpen || undefined}>
        <summary>{t('ways.title')}</summary>
        {methods.mail === 'ok' && <p>{t('ways.spam')}</p>}
        {methods.invited_only && <p>{t('ways.invited')}</p>}
        <p>{t('ways.any')}</p>
        <OtherWays methods={methods} />
      </details>
    </div>
  )
}
