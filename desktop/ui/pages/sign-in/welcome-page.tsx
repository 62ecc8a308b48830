import type { Profile } from '@markbook/shared/contract/auth'
import { limits } from '@markbook/shared/limits'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { desktopClient } from '../../api/client.ts'
import { ask, askWhole, save } from '../../api/queries.ts'
import { accountStateOf } from '../../api/session.ts'
import { Checkbox, Form, Radio, Row, SaveActions, TextField } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Card, FailureNotice, Loading, Notice } from '../../components/page.tsx'
import { useForm } from '../../components/use-form.ts'
import { isLoopback } from '../../frame/loopback.ts'
import { OwnHoldings } from './holdings-notice.tsx'
import { JoinSchool } from './join-school.tsx'
import { Offers } from './offers.tsx'
import { requestedSchool, storeRequestedSchool } from './requested-school.ts'
import styles from './standalone-page.module.css'
import { StandalonePage } from './standalone-page.tsx'
import { useMe } from './use-me.ts'

const route = getRouteApi('/welcome')

/** Asks a new person for their name, and then which school to join or create. */
export function WelcomePage() {
  const { t } = useTranslation('sign-in')
  const own = useMe()
  useRedirect(own.data)
  const isNamed = own.data?.is_onboarded
  const isFull = useQuery(ask('outage', 'ways')).data?.one_school
  const isInvited = useIsInvited(isNamed === true)
  const lead = isInvited ? 'welcome.invitedLead' : isFull ? 'welcome.joinLead' : 'welcome.schoolLead'
  return (
    <StandalonePage
      wide
      canSignOut
      title={t(isInvited ? 'welcome.invited' : isNamed ? 'welcome.school' : 'welcome.title')}
      lead={isNamed ? t(lead, { name: own.data?.first_name }) : t('welcome.lead')}
    >
      <Answer of={own}>{(profile) => (profile.is_onboarded ? <SchoolStep profile={profile} /> : <NameStep profile={profile} />)}</Answer>
    </StandalonePage>
  )
}

/** Whether a school has invited this person and waits for their answer. */
const useIsInvited = (enabled: boolean): boolean =>
  useQuery({ ...ask('schools', 'offers'), enabled }).data?.some(({ is_invitation }) => is_invitation) ?? false

/** Redirects once the person has a school or a request, made here or in another window. */
function useRedirect(profile: Profile | undefined) {
  const navigate = useNavigate()
  const at = profile && accountStateOf(profile)
  useEffect(() => {
    if (at === 'in_school') {
      storeRequestedSchool(null)
      void navigate({ to: '/' })
    }
    if (at === 'waiting') void navigate({ to: '/waiting' })
  }, [at, navigate])
}

function NameStep({ profile }: { profile: Profile }) {
  const { t } = useTranslation(['sign-in', 'app'])
  const { field, send, busy, failure } = useForm({
    initial: { firstName: profile.first_name ?? '', lastName: profile.last_name ?? '' },
    required: ['firstName', 'lastName'],
    save: ({ firstName, lastName }) => save('auth', 'onboard', { body: { firstName: firstName.trim(), lastName: lastName.trim() } }),
  })
  return (
    <Card>
      <Form onSend={send}>
        <p>{t('welcome.signedInAs', { email: profile.email })}</p>
        <Row>
          <TextField {...field('firstName')} label={t('welcome.first')} autoComplete="given-name" maxLength={limits.text.name} />
          <TextField {...field('lastName')} label={t('welcome.last')} autoComplete="family-name" maxLength={limits.text.name} />
        </Row>
        <FailureNotice failure={failure} />
        <SaveActions action={t('welcome.next')} busy={busy} busyWord={t('app:state.wait')} />
      </Form>
    </Card>
  )
}

function SchoolStep({ profile }: { profile: Profile }) {
  const { t } = useTranslation('sign-in')
  const schools = useQuery(askWhole('schools', 'list'))
  const isInvited = useIsInvited(true)
  const refused = requestedSchool(profile)
  const ways = <Answer of={schools}>{(list) => <Ways isFirst={list.length === 0} />}</Answer>
  return (
    <>
      <OwnHoldings />
      <Offers />
      {refused && <Notice tone="warn">{t('welcome.refused', { school: refused })}</Notice>}
      {isInvited ? (
        <details>
          <summary>{t('invitation.another')}</summary>
          {ways}
        </details>
      ) : (
        ways
      )}
    </>
  )
}

/**
 * Join or create a school, where one can be created. On a server without a school (`isFirst`) there is none to join; a school that is
 * created meanwhile does not change the form.
 */
function Ways({ isFirst }: { isFirst: boolean }) {
  const { t } = useTranslation('sign-in')
  const { way: chosen }: { way?: 'join' | 'create' } = route.useSearch()
  const methods = useQuery(ask('outage', 'ways'))
  const [usual] = useState(isFirst ? 'create' : 'join')
  const way = chosen ?? usual
  if (methods.isLoading) return <Loading />
  // This server has its one school: creating another would be refused.
  if (methods.data?.one_school && usual === 'join') {
    return (
      <Card label={t('join.title')}>
        <JoinSchool />
      </Card>
    )
  }
  return (
    <>
      <nav className={styles['choices']} aria-label={t('welcome.ways')}>
        {(['join', 'create'] as const).map((one) => (
          <Link
            key={one}
            to="/welcome"
            search={{ way: one }}
            hash
            replace
            className={styles['choice']}
            aria-current={way === one || undefined}
          >
            <strong>{t(`${one}.title`)}</strong>
            <span className={layout['note']}>{t(`${one}.lead`)}</span>
          </Link>
        ))}
      </nav>
      <Card label={t(way === 'create' ? 'create.title' : 'join.title')}>{way === 'create' ? <CreateSchool /> : <JoinSchool />}</Card>
    </>
  )
}

const types = ['primary', 'secondary'] as const

/** The setup code of the server: from the link that it printed, or in the desktop app's window from the server itself. */
function useSetupCode() {
  const { hash } = useLocation()
  const methods = useQuery(ask('outage', 'ways'))
  const desktop = useQuery({
    queryKey: ['desktop', 'setup'],
    queryFn: () => desktopClient.here().catch(() => null),
    enabled: isLoopback(location.hostname),
  })
  const known = new URLSearchParams(hash).get('setup') ?? desktop.data?.setup_code ?? ''
  return { known, isNeeded: methods.data?.setup_code === true, isLoading: methods.isLoading || desktop.isLoading }
}

function CreateSchool() {
  const setup = useSetupCode()
  return setup.isLoading ? <Loading /> : <SchoolForm setup={setup} />
}

/** Creates a school with this person as its administrator. The profile then has a school, and the page redirects by itself. */
function SchoolForm({ setup }: { setup: { known: string; isNeeded: boolean } }) {
  const { t } = useTranslation(['sign-in', 'app'])
  const group = useId()
  const { draft, set, field, send, busy, failure } = useForm({
    initial: {
      name: '',
      schoolType: 'secondary' as (typeof types)[number],
      starterSubjects: true,
      address: '',
      email: '',
      phone: '',
      setupCode: setup.known,
    },
    required: setup.isNeeded ? ['name', 'setupCode'] : ['name'],
    save: ({ name, address, email, phone, setupCode, ...rest }) => {
      const contact = { address: address || null, email: email || null, phone: phone || null }
      const body = { ...rest, ...contact, name: name.trim(), ...(setup.isNeeded && { setupCode: setupCode.trim() }) }
      return save('schools', 'create', { body }, ['auth'])
    },
  })
  const fieldOf = (name: 'name' | 'address' | 'email' | 'phone') => ({ ...field(name), label: t(`create.${name}`) })
  return (
    <Form onSend={send} aria-label={t('create.title')}>
      <TextField {...fieldOf('name')} maxLength={limits.text.name} autoComplete="organization" />
      <fieldset className={styles['radios']}>
        <legend>{t('create.type')}</legend>
        {types.map((schoolType) => (
          <Radio
            key={schoolType}
            label={t(`type.${schoolType}`)}
            name={group}
            checked={draft.schoolType === schoolType}
            onChange={() => set({ schoolType })}
          />
        ))}
      </fieldset>
      <Checkbox
        label={t('create.subjects')}
        checked={draft.starterSubjects}
        onChange={({ target }) => set({ starterSubjects: target.checked })}
      />
      <TextField {...fieldOf('address')} optional maxLength={limits.text.address} hint={t('create.addressHint')} />
      <Row>
        <TextField {...fieldOf('email')} optional type="email" />
        <TextField {...fieldOf('phone')} optional type="tel" maxLength={limits.text.phone} />
      </Row>
      {setup.isNeeded && (
        <TextField
          {...field('setupCode')}
          label={t('create.setupCode')}
          hint={t(setup.known ? 'create.setupCodeKnown' : 'create.setupCodeHint')}
          maxLength={limits.text.name}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      <FailureNotice failure={failure} />
      <SaveActions action={t('create.send')} busy={busy} busyWord={t('app:state.wait')} />
    </Form>
  )
}
