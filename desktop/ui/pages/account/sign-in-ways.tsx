import type { OwnSignInMethods } from '@markbook/shared/contract/sign-in-methods'
import { Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { useQuery } from '@tanstack/react-query'
import { useContext, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { ask, save, useSave } from '../../api/queries.ts'
import { useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { Closing } from '../../components/closing.ts'
import { copyText } from '../../components/copy-text.ts'
import { CloseButton, ConfirmButton, Dialog, DialogButton } from '../../components/dialog.tsx'
import { Actions, CodeField, Form, SaveActions } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Badge, Card, FailureNotice, Notice } from '../../components/page.tsx'
import { PrintSheet } from '../../components/print-sheet.tsx'
import { tell } from '../../components/toasts.tsx'
import { moment } from '../../words/format.ts'
import styles from './account.module.css'
import { Passkeys } from './passkeys.tsx'
import { QrCode } from './qr-code.tsx'
import { SecondFactor } from './second-factor.tsx'

const FEW_CODES = 3

/** The ways to sign in without mail, which must be set up in advance. */
export function SignInWays() {
  const { t } = useTranslation('account')
  const ways = useQuery(ask('outage', 'ownWays'))
  return (
    <Card title={t('ways.title')}>
      <p>{t('ways.lead')}</p>
      <Answer of={ways}>
        {(own) => (
          <>
            <App own={own} />
            <Codes own={own} />
          </>
        )}
      </Answer>
      <Passkeys />
      {ways.data && <SecondFactor own={ways.data} />}
    </Card>
  )
}

function App({ own }: { own: OwnSignInMethods }) {
  const { t } = useTranslation('account')
  return (
    <div className={`${layout['list']} ${styles['way']}`}>
      <div className={layout['split']}>
        <h3>{t('app.title')}</h3>
        {own.confirmed_at ? (
          <Badge tone="good">{t('app.since', { when: moment(own.confirmed_at) })}</Badge>
        ) : (
          <Badge>{t('app.none')}</Badge>
        )}
      </div>
      <p>{t('app.text')}</p>
      <div className={layout['wrap']}>
        <DialogButton dialog={<AppDialog />}>{t(own.confirmed_at ? 'app.another' : 'app.setUp')}</DialogButton>
        {own.confirmed_at && (
          <ConfirmButton
            look="danger"
            title={t('app.removeTitle')}
            text={t('app.removeText')}
            action={t('app.remove')}
            onConfirm={async () => {
              await save('outage', 'removeTotp', undefined)
              tell(t('app.removed'))
            }}
          />
        )}
      </div>
    </div>
  )
}

function Codes({ own }: { own: OwnSignInMethods }) {
  const { t } = useTranslation('account')
  const { recovery_codes: left } = own
  return (
    <div className={`${layout['list']} ${styles['way']}`}>
      <div className={layout['split']}>
        <h3>{t('codes.title')}</h3>
        <Badge {...(left > 0 && { tone: left > FEW_CODES ? ('good' as const) : ('warn' as const) })}>
          {left > 0 ? t('codes.left', { count: left }) : t('codes.none')}
        </Badge>
      </div>
      <p>{t('codes.text')}</p>
      <div className={layout['wrap']}>
        <DialogButton dialog={<CodesDialog left={left} />}>{t(left > 0 ? 'codes.again' : 'codes.make')}</DialogButton>
      </div>
    </div>
  )
}

/** A secret in groups of four characters, to type by hand. */
const grouped = (secret: string) => secret.match(/.{1,4}/g)?.join(' ') ?? secret

/** Shows a QR code to scan, and asks for the app's code. Nothing is stored before a correct code. */
function AppDialog() {
  const { t } = useTranslation(['account', 'app'])
  const close = useContext(Closing)
  const [code, setCode] = useState('')
  // A second request would make another secret.
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
      close?.()
    }
    confirm.mutate({ body: { token } }, { onSuccess })
  }
  const isWrong = confirm.error instanceof Failure && confirm.error.code === 'otp_invalid'
  return (
    <Dialog title={t('app.dialog')} lead={t('app.lead')}>
      <Answer of={enrolment}>
        {({ otpauth_uri, secret }) => (
          <Form onSend={() => send(code)}>
            <div className={`${layout['beside']} ${styles['scan']}`}>
              <QrCode text={otpauth_uri} label={t('app.qr')} />
              <ol>
                <li>{t('app.step1')}</li>
                <li>{t('app.step2')}</li>
                <li>
                  {t('app.step3')} <code className={styles['secret']}>{grouped(secret)}</code>
                  <Button
                    size="small"
                    onClick={() => void copyText(secret).then((isDone) => tell(t(isDone ? 'app.copied' : 'app.notCopied')))}
                  >
                    {t('codes.copy')}
                  </Button>
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
            <SaveActions
              action={t('app.confirm')}
              busy={confirm.isPending}
              busyWord={t('app:state.wait')}
              disabled={code.length < limits.otp.length}
            />
          </Form>
        )}
      </Answer>
    </Dialog>
  )
}

/** Ten recovery codes, which are shown only once. `left`: the number of older codes that become invalid. */
function CodesDialog({ left }: { left: number }) {
  const { t } = useTranslation('account')
  const make = useSave('outage', 'newRecoveryCodes')
  const codes = make.data?.codes
  const lead = codes ? t('codes.keep') : left > 0 ? t('codes.ends', { count: left }) : t('codes.once')
  return (
    <Dialog title={t(codes ? 'codes.shown' : 'codes.dialog')} lead={lead} shownOnce={codes !== undefined}>
      {codes ? (
        <NewCodes codes={codes} />
      ) : (
        <>
          <FailureNotice failure={make.error} />
          <Actions>
            <CloseButton />
            <Button look={left > 0 ? 'danger' : 'primary'} busy={make.isPending} onClick={() => make.mutate(undefined)}>
              {t('codes.make')}
            </Button>
          </Actions>
        </>
      )}
    </Dialog>
  )
}

function NewCodes({ codes }: { codes: readonly string[] }) {
  const { t } = useTranslation(['account', 'app'])
  const [copied, setCopied] = useState<boolean | null>(null)
  const copy = async () => setCopied(await copyText(codes.join('\n')))
  return (
    <>
      <ol className={styles['codes']} aria-label={t('codes.title')}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      {copied !== null && <Notice tone={copied ? 'good' : 'warn'}>{t(copied ? 'codes.copied' : 'codes.notCopied')}</Notice>}
      <Actions>
        <Button onClick={() => void copy()}>{t('codes.copy')}</Button>
        <Button onClick={() => window.print()}>{t('app:action.print')}</Button>
        <CloseButton look="primary">{t('codes.done')}</CloseButton>
      </Actions>
      <Paper codes={codes} />
    </>
  )
}

function Paper({ codes }: { codes: readonly string[] }) {
  const { t } = useTranslation(['account', 'app'])
  const { email } = useProfile()
  return (
    <PrintSheet>
      <h1>{t('codes.paper', { name: t('app:name') })}</h1>
      <p>{t('codes.paperFor', { email, when: moment(new Date().toISOString()) })}</p>
      <ol>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <p>{t('codes.paperHow')}</p>
    </PrintSheet>
  )
}
