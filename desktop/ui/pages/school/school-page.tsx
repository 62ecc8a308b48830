import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, type ReplyOf, save, useSave } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { copyText } from '../../components/copy-text.ts'
import { Form, Row, SaveActions, TextArea, TextField } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Card, FailureNotice, Page } from '../../components/page.tsx'
import { tell } from '../../components/toasts.tsx'
import { useForm } from '../../components/use-form.ts'
import { backTo, saveWithUndo } from '../../components/with-undo.ts'
import { QrCode } from '../account/qr-code.tsx'
import { DocumentLanguageCard } from './document-language.tsx'
import { PersonalData } from './personal-data.tsx'
import { ReportApproval } from './report-approval.tsx'
import { SchoolDays } from './school-days.tsx'
import styles from './school-page.module.css'

type School = ReplyOf<'schools', 'mine'>

export function SchoolPage() {
  const { t } = useTranslation('school')
  const profile = useProfile()
  const school = useQuery(ask('schools', 'mine'))
  return (
    <Page title={t('title')} lead={t('lead')}>
      <Answer of={school}>
        {(own) => (
          <>
            <Details school={own} />
            <Crest school={own} />
            <SchoolDays school={own} />
            <ReportApproval school={own} />
            <DocumentLanguageCard school={own} />
            <PersonalData school={own} />
            {isAdmin(profile) && <AddressCard />}
          </>
        )}
      </Answer>
    </Page>
  )
}

function Details({ school }: { school: School }) {
  const { t } = useTranslation(['school', 'app'])
  const profile = useProfile()
  const own = { name: school.name, address: school.address ?? '', email: school.email ?? '', phone: school.phone ?? '' }
  const { draft, field, send, busy, failure, follow } = useForm({
    initial: own,
    save: async (typed) => {
      // Only the changed fields: somebody else may have changed the others.
      const body = changedIn(bodyOf(typed), bodyOf(own))
      const write = (change: Partial<typeof body>) => save('schools', 'updateMine', { body: change }, ['auth'])
      const back = backTo(changedIn(bodyOf(own), bodyOf(typed)), body, write)
      await saveWithUndo({
        said: t('saved'),
        run: () => write(body),
        back,
      })
    },
  })
  const stored = JSON.stringify(own)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the stored values change, not at each key.
  useEffect(() => follow(JSON.parse(stored)), [stored])
  const mayChange = isAdmin(profile)
  const fieldOf = (name: keyof typeof draft) => ({ ...field(name), label: t(name), disabled: !mayChange })
  return (
    <Card>
      <Form onSend={send}>
        <FailureNotice failure={failure} />
        <TextField {...fieldOf('name')} maxLength={200} />
        <TextArea {...fieldOf('address')} optional maxLength={500} />
        <Row>
          <TextField {...fieldOf('email')} optional type="email" maxLength={254} />
          <TextField {...fieldOf('phone')} optional type="tel" maxLength={40} />
        </Row>
        <p className={styles['note']}>
          {t('app:label', { label: t('type') })} {t(school.school_type)}
          {school.code && ` · ${t('app:label', { label: t('code') })} ${school.code}`}
        </p>
        {mayChange && <SaveActions busy={busy} />}
      </Form>
    </Card>
  )
}

type Body = ReturnType<typeof bodyOf>
/** The fields in which a body differs from another. */
const changedIn = (body: Body, other: Body): Partial<Body> =>
  Object.fromEntries((Object.keys(body) as (keyof Body)[]).filter((name) => body[name] !== other[name]).map((name) => [name, body[name]]))

type Typed = { name: string; address: string; email: string; phone: string }
const bodyOf = ({ name, address, email, phone }: Typed) => ({
  name: name.trim(),
  address: address.trim() || null,
  email: email.trim() || null,
  phone: phone.trim() || null,
})

function Crest({ school }: { school: School }) {
  const { t } = useTranslation('school')
  const profile = useProfile()
  const put = useSave('schools', 'putCrest')
  const chooser = useRef<HTMLInputElement>(null)
  const send = (file: File | undefined) => {
    if (!file) return
    const body = new FormData()
    body.append('file', file)
    put.mutate({ body }, { onSuccess: () => tell(t('crestSaved')) })
  }
  return (
    <Card title={t('crest')}>
      <FailureNotice failure={put.error} />
      {school.crest_url ? (
        <img className={styles['crest']} src={school.crest_url} alt={t('crestOf', { name: school.name })} />
      ) : (
        <p>{t('crestNone')}</p>
      )}
      {isAdmin(profile) && (
        <div>
          <input
            ref={chooser}
            type="file"
            accept="image/jpeg,image/png"
            hidden
            aria-label={t('chooseCrest')}
            onChange={({ target }) => {
              send(target.files?.[0])
              target.value = ''
            }}
          />
          <Button busy={put.isPending} onClick={() => chooser.current?.click()}>
            {t('chooseCrest')}
          </Button>
          <p className={styles['note']}>{t('crestHint')}</p>
        </div>
      )}
    </Card>
  )
}

/** The addresses of this server for other devices. */
function AddressCard() {
  const { t } = useTranslation('school')
  const addresses = useQuery(ask('schools', 'addresses'))
  return (
    <Card title={t('server.title')}>
      <Answer of={addresses}>{({ urls }) => <Addresses urls={urls} />}</Answer>
    </Card>
  )
}

function Addresses({ urls }: { urls: readonly string[] }) {
  const { t } = useTranslation('school')
  const [best, ...others] = urls
  if (!best) return <p>{t('server.none')}</p>
  const copy = async () => tell((await copyText(best)) ? t('server.copied') : t('server.notCopied'))
  return (
    <div className={`${layout['beside']} ${styles['server']}`}>
      <QrCode text={best} label={t('server.qr', { address: best })} />
      <div className={layout['stack']}>
        <p>{t('server.text')}</p>
        <p className={layout['toolbar']}>
          <strong className={styles['url']}>{best}</strong>
          <Button size="small" onClick={() => void copy()}>
            {t('server.copy')}
          </Button>
        </p>
        {others.length > 0 && (
          <p className={styles['note']}>
            {t('server.others')} {others.join(', ')}
          </p>
        )}
        {best.startsWith('https:') && <p className={styles['note']}>{t('server.trust')}</p>}
      </div>
    </div>
  )
}
