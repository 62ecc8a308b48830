import type { Profile } from '@markbook/shared/contract/auth'
import { limits } from '@markbook/shared/limits'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { askWhole, useSave } from '../../api/queries.ts'
import { standingOf } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { Actions, Form, Row, TextField } from '../../components/field.tsx'
import { Answer, FailureNotice, Notice } from '../../components/page.tsx'
import { issueOf } from '../../words/failure.ts'
import { askedSchool, keepAskedSchool } from './asked-school.ts'
import { CreateSchool } from './create-school.tsx'
import { JoinSchool } from './join-school.tsx'
import styles from './outside.module.css'
import { Outside, Sheet } from './outside.tsx'
import { useOwnMe } from './own-me.ts'
import { SignOutButton } from './sign-out-button.tsx'

const route = getRouteApi('/welcome')

/** Who one is, and then which school: one that is there, or a new one. */
export function WelcomePage() {
  const { t } = useTranslation('sign-in')
  const own = useOwnMe()
  useGoOn(own.data)
  const isNamed = own.data?.is_onboarded
  return (
    <Outside
      wide
      title={t(isNamed ? 'welcome.school' : 'welcome.title')}
      lead={isNamed ? t('welcome.schoolLead', { name: own.data?.first_name }) : t('welcome.lead')}
      actions={<SignOutButton />}
    >
      <Answer of={own}>{(profile) => (profile.is_onboarded ? <SchoolStep profile={profile} /> : <NameStep profile={profile} />)}</Answer>
    </Outside>
  )
}

/** Once there is a school or a request, here or in another window, this page has nothing more to ask. */
function useGoOn(profile: Profile | undefined) {
  const navigate = useNavigate()
  const at = profile && standingOf(profile)
  useEffect(() => {
    if (at === 'in_school') {
      keepAskedSchool(null)
      void navigate({ to: '/' })
    }
    if (at === 'waiting') void navigate({ to: '/waiting' })
  }, [at, navigate])
}

function NameStep({ profile }: { profile: Profile }) {
  const { t } = useTranslation(['sign-in', 'app'])
  const [first, setFirst] = useState(profile.first_name ?? '')
  const [last, setLast] = useState(profile.last_name ?? '')
  const [isTried, setTried] = useState(false)
  const save = useSave('auth', 'onboard')
  const send = () => {
    setTried(true)
    if (first.trim() && last.trim()) save.mutate({ body: { firstName: first.trim(), lastName: last.trim() } })
  }
  const missing = (value: string) => (isTried && !value.trim() ? t('app:field.required') : undefined)
  return (
    <Sheet>
      <Form onSend={send}>
        <p>{t('welcome.signedInAs', { email: profile.email })}</p>
        <Row>
          <TextField
            label={t('welcome.first')}
            autoComplete="given-name"
            maxLength={limits.text.name}
            value={first}
            error={missing(first) ?? issueOf(save.error, 'firstName')}
            onChange={({ target }) => setFirst(target.value)}
          />
          <TextField
            label={t('welcome.last')}
            autoComplete="family-name"
            maxLength={limits.text.name}
            value={last}
            error={missing(last) ?? issueOf(save.error, 'lastName')}
            onChange={({ target }) => setLast(target.value)}
          />
        </Row>
        <FailureNotice failure={save.error} />
        <Actions>
          <Button type="submit" look="primary" busy={save.isPending}>
            {t('welcome.next')}
          </Button>
        </Actions>
      </Form>
    </Sheet>
  )
}

function SchoolStep({ profile }: { profile: Profile }) {
  const { t } = useTranslation('sign-in')
  const schools = useQuery(askWhole('schools', 'list'))
  const refused = askedSchool(profile)
  return (
    <>
      {refused && <Notice tone="warn">{t('welcome.refused', { school: refused })}</Notice>}
      <Answer of={schools}>{(list) => <Ways isFirst={list.length === 0} />}</Answer>
    </>
  )
}

/** Join or create. On a server without a school there is nothing to join yet; what was so when the page came does not turn it round. */
function Ways({ isFirst }: { isFirst: boolean }) {
  const { t } = useTranslation('sign-in')
  const { way: chosen }: { way?: 'join' | 'create' } = route.useSearch()
  const [usual] = useState(isFirst ? 'create' : 'join')
  const way = chosen ?? usual
  return (
    <>
      <nav className={styles['choices']} aria-label={t('welcome.ways')}>
        {(['join', 'create'] as const).map((one) => (
          <Link key={one} to="/welcome" search={{ way: one }} replace className={styles['choice']} aria-current={way === one}>
            <strong>{t(`${one}.title`)}</strong>
            <span>{t(`${one}.lead`)}</span>
          </Link>
        ))}
      </nav>
      <Sheet label={t(way === 'create' ? 'create.title' : 'join.title')}>{way === 'create' ? <CreateSchool /> : <JoinSchool />}</Sheet>
    </>
  )
}
