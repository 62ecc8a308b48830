import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, type ReplyOf, useSave } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { Actions, Form, Row, TextArea, TextField } from '../../components/field.tsx'
import { Answer, Card, FailureNotice, Page } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { issueOf } from '../../words/failure.ts'
import { AddressCard } from './address-card.tsx'
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
  const { tell } = useToasts()
  const update = useSave('schools', 'updateMine', ['auth'])
  const [draft, setDraft] = useState({
    name: school.name,
    address: school.address ?? '',
    email: school.email ?? '',
    phone: school.phone ?? '',
  })
  const set = (change: Partial<typeof draft>) => setDraft({ ...draft, ...change })
  const mayChange = isAdmin(profile)
  const field = (name: keyof typeof draft) => ({
    label: t(name),
    value: draft[name],
    disabled: !mayChange,
    error: issueOf(update.error, name),
    onChange: ({ target }: { target: { value: string } }) => set({ [name]: target.value }),
  })
  const save = () => {
    const body = {
      name: draft.name.trim(),
      address: draft.address.trim() || null,
      email: draft.email.trim() || null,
      phone: draft.phone.trim() || null,
    }
    update.mutate({ body }, { onSuccess: () => tell(t('saved')) })
  }
  return (
    <Card>
      <Form onSend={save}>
        <FailureNotice failure={update.error} />
        <TextField {...field('name')} maxLength={200} />
        <TextArea {...field('address')} optional maxLength={500} />
        <Row>
          <TextField {...field('email')} optional type="email" maxLength={254} />
          <TextField {...field('phone')} optional type="tel" maxLength={40} />
        </Row>
        <p className={styles['facts']}>
          {t('type')}: {t(school.school_type)}
          {school.code && ` · ${t('code')}: ${school.code}`}
        </p>
        {mayChange && (
          <Actions>
            <Button type="submit" look="primary" busy={update.isPending} busyWord={t('app:state.saving')}>
              {t('app:action.save')}
            </Button>
          </Actions>
        )}
      </Form>
    </Card>
  )
}

function Crest({ school }: { school: School }) {
  const { t } = useTranslation('school')
  const profile = useProfile()
  const { tell } = useToasts()
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
          <p className={styles['facts']}>{t('crestHint')}</p>
        </div>
      )}
    </Card>
  )
}
