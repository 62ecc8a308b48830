import { fold } from '@markbook/shared/domain/fold'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, askWhole, type ReplyOf, save, useSave } from '../../api/queries.ts'
import { useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { Closing } from '../../components/closing.ts'
import { ConfirmButton, ConfirmDialog } from '../../components/dialog.tsx'
import { Options, SelectField, TextField } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Badge, Card, FailureNotice, Notice, Page } from '../../components/page.tsx'
import { AnswerTable, Table } from '../../components/table.tsx'
import { tell, tellFailure } from '../../components/toasts.tsx'
import { saveWithUndo } from '../../components/with-undo.ts'
import { Menu, MenuItem } from '../../frame/menu.tsx'
import { day, localDay, moment } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { Invitations } from './invitations.tsx'
import styles from './people.module.css'
import { ROLES, type Role } from './roles.ts'

export function PeoplePage() {
  const { t } = useTranslation('people')
  const isLaptop = useQuery(ask('replication', 'status')).data?.is_laptop ?? false
  return (
    <Page title={t('title')} lead={t('lead')}>
      {isLaptop ? (
        <Notice>{t('onLaptop')}</Notice>
      ) : (
        <>
          <Requests />
          <Invitations />
        </>
      )}
      <Members isFixed={isLaptop} />
      <SignInCodes />
    </Page>
  )
}

type Member = ReplyOf<'schools', 'members'>[number]
type MemberAction = 'suspend' | 'remove' | 'reset' | 'signOut'

/** `isFixed`: memberships cannot be changed on a laptop. */
function Members({ isFixed }: { isFixed: boolean }) {
  const { t } = useTranslation('people')
  const members = useQuery(askWhole('schools', 'members'))
  const [search, setSearch] = useState('')
  const me = useProfile()
  return (
    <Card title={t('members')}>
      <TextField label={t('find')} type="search" value={search} onChange={({ target }) => setSearch(target.value)} />
      <Answer of={members}>
        {(list) => (
          <Table
            label={t('members')}
            rows={list.filter((member) => fold(`${nameOf(member)} ${member.email}`).includes(fold(search)))}
            keyOf={({ user_id }) => user_id}
            columns={[
              {
                head: t('name'),
                cell: (member) => (
                  <>
                    {nameOf(member)} {member.user_id === me.id && <Badge>{t('you')}</Badge>}
                  </>
                ),
              },
              { head: t('email'), cell: ({ email }) => email },
              { head: t('role'), cell: (member) => <RoleChoice member={member} isFixed={isFixed} /> },
              { head: t('since'), className: styles['since'], cell: ({ joined_at }) => day(localDay(joined_at)) },
              {
                head: t('state'),
                cell: (member) => <MemberActions member={member} isFixed={isFixed} />,
              },
            ]}
          />
        )}
      </Answer>
    </Card>
  )
}

function RoleChoice({ member, isFixed }: { member: Member; isFixed: boolean }) {
  const { t } = useTranslation('people')
  const name = nameOf(member)
  const write = (role: Role) => save('schools', 'updateMember', { params: { userId: member.user_id }, body: { role } }, ['classes'])
  const setRole = (role: Role) =>
    saveWithUndo({ said: t('saved', { name, role: t(role) }), run: () => write(role), back: () => write(member.role) }).catch(tellFailure)
  return (
    <select
      className={layout['control']}
      aria-label={t('roleOf', { name })}
      value={member.role}
      disabled={isFixed}
      onChange={({ target }) => void setRole(target.value as Role)}
    >
      <Options of={ROLES.map((id) => ({ id, name: t(id) }))} />
    </select>
  )
}

/** The most frequent actions are in the row, the others in a menu. */
function MemberActions({ member, isFixed }: { member: Member; isFixed: boolean }) {
  const { t } = useTranslation('people')
  const [asked, setAsked] = useState<MemberAction | null>(null)
  const update = useSave('schools', 'updateMember', ['classes'])
  const setActive = (isActive: boolean) => update.mutateAsync({ params: { userId: member.user_id }, body: { isActive } })
  const resume = () =>
    void saveWithUndo({ said: t('resumed', { name }), run: () => setActive(true), back: () => setActive(false) }).catch(tellFailure)
  const name = nameOf(member)
  const others = isFixed ? (['signOut', 'reset'] as const) : (['signOut', 'reset', 'remove'] as const)
  return (
    <div className={layout['wrap']}>
      {!member.is_active && <Badge tone="warn">{t('suspended')}</Badge>}
      {member.is_active ? (
        <Button size="small" disabled={isFixed} aria-label={t('suspendOf', { name })} onClick={() => setAsked('suspend')}>
          {t('suspend')}
        </Button>
      ) : (
        <Button size="small" disabled={isFixed} aria-label={t('resumeOf', { name })} busy={update.isPending} onClick={resume}>
          {t('resume')}
        </Button>
      )}
      <Menu button={{ 'aria-label': t('moreOf', { name }), children: t('more') }}>
        {others.map((step) => (
          <MenuItem key={step} onChoose={() => setAsked(step)}>
            {t(step)}
          </MenuItem>
        ))}
      </Menu>
      {asked && (
        <Closing value={() => setAsked(null)}>
          <Confirmation step={asked} member={member} />
        </Closing>
      )}
    </div>
  )
}

function Confirmation({ step, member }: { step: MemberAction; member: Member }) {
  const { t } = useTranslation('people')
  const name = nameOf(member)
  const params = { userId: member.user_id }
  const setActive = (isActive: boolean) => save('schools', 'updateMember', { params, body: { isActive } }, ['classes'])
  const steps = {
    suspend: () => saveWithUndo({ said: t('suspendedNow', { name }), run: () => setActive(false), back: () => setActive(true) }),
    remove: async () => {
      await save('schools', 'removeMember', { params }, ['classes'])
      tell(t('removed', { name }))
    },
    signOut: async () => {
      await save('sessions', 'endMembers', { params }, [])
      tell(t('signOutDone', { name }))
    },
    reset: async () => {
      await save('outage', 'resetSignIn', { params }, ['schools'])
      tell(t('resetDone', { name }))
    },
  }
  return <ConfirmDialog title={t(`${step}Title`, { name })} text={t(`${step}Text`)} action={t(step)} onConfirm={steps[step]} />
}

/** Issues a sign-in code to a person when no mail can be sent: valid once, for ten minutes (decisions §3). */
function SignInCodes() {
  const { t } = useTranslation('people')
  const members = useQuery(askWhole('schools', 'members'))
  const known = members.data ?? []
  // Administrators get codes from the command line.
  const offered = known.filter(({ role, is_active }) => is_active && role !== 'admin')
  return (
    <Card title={t('desk')}>
      <p>{t('deskLead')}</p>
      {offered.length > 0 && <IssueCode members={offered} />}
      <h3>{t('log')}</h3>
      <CodeLog members={known} />
    </Card>
  )
}

function IssueCode({ members }: { members: readonly Member[] }) {
  const { t } = useTranslation('people')
  const issue = useSave('outage', 'issueDeskCode')
  const [userId, setUserId] = useState('')
  const chosen = members.find(({ user_id }) => user_id === userId) ?? members[0]
  const issued = issue.data && issue.variables ? members.find(({ user_id }) => user_id === issue.variables.body.userId) : undefined
  return (
    <>
      <FailureNotice failure={issue.error} />
      <div className={styles['issue']}>
        <SelectField label={t('deskFor')} value={chosen?.user_id ?? ''} onChange={({ target }) => setUserId(target.value)}>
          <Options of={members.map((member) => ({ id: member.user_id, name: nameOf(member) }))} />
        </SelectField>
        <Button look="primary" busy={issue.isPending} onClick={() => chosen && issue.mutate({ body: { userId: chosen.user_id } })}>
          {t('issue')}
        </Button>
      </div>
      {issue.data && issued && (
        <Notice tone="good">
          <span>{t('code', { name: nameOf(issued) })}</span>
          <span className={styles['code']}>{issue.data.code.replace(/(\d{4})(\d{4})/, '$1 $2')}</span>
          <span>{t('until', { at: moment(issue.data.expires_at) })}</span>
        </Notice>
      )}
    </>
  )
}

function CodeLog({ members }: { members: readonly Member[] }) {
  const { t } = useTranslation('people')
  const entries = useQuery(ask('outage', 'deskCodes'))
  const named = (userId: string, email: string) => {
    const member = members.find(({ user_id }) => user_id === userId)
    return member ? nameOf(member) : email
  }
  return (
    <AnswerTable
      of={entries}
      empty={t('noLog')}
      label={t('log')}
      rowName={1}
      columns={[
        { head: t('when'), cell: ({ at }) => moment(at) },
        { head: t('deskFor'), cell: ({ user_id, email }) => named(user_id, email) },
        {
          head: t('what'),
          cell: ({ action, actor }) => (action === 'create' && actor ? t('given', { name: nameOf(actor) }) : t('used')),
        },
      ]}
    />
  )
}

type Request = ReplyOf<'schools', 'joinRequests'>[number]

/** How often the requests are read, in ms. */
const POLL_MS = 20_000

function Requests() {
  const { t } = useTranslation('people')
  const requests = useQuery({ ...ask('schools', 'joinRequests'), refetchInterval: POLL_MS })
  return (
    <Card title={t('requests')}>
      <Answer of={requests} empty={t('noRequests')}>
        {(list) => (
          <ul className={layout['list']}>
            {list.map((request) => (
              <Waiting key={request.id} request={request} />
            ))}
          </ul>
        )}
      </Answer>
    </Card>
  )
}

function Waiting({ request }: { request: Request }) {
  const { t } = useTranslation('people')
  const approve = useSave('schools', 'approve')
  const [role, setRole] = useState<Role>('teacher')
  const name = nameOf(request.user)
  const params = { requestId: request.id }
  // `mutateAsync`, since the callbacks of `mutate` do not run after the request has left the list.
  const accept = () => approve.mutateAsync({ params, body: { role } }).then(() => tell(t('accepted', { name })), tellFailure)
  return (
    <li className={`${layout['toolbar']} ${styles['request']}`}>
      <div>
        <strong>{name}</strong> · <bdi>{request.user.email}</bdi> · {t('asked', { at: moment(request.requested_at) })}
        {request.message && (
          <p className={`${layout['soft']} ${styles['message']}`}>
            <bdi>{request.message}</bdi>
          </p>
        )}
      </div>
      <div className={layout['wrap']}>
        <SelectField hideLabel label={t('as', { name })} value={role} onChange={({ target }) => setRole(target.value as Role)}>
          <Options of={ROLES.map((id) => ({ id, name: t(id) }))} />
        </SelectField>
        <Button look="primary" busy={approve.isPending} onClick={() => void accept()}>
          {t('accept')}
          <span className="hidden"> {name}</span>
        </Button>
        <ConfirmButton
          title={t('rejectTitle', { name })}
          text={t('rejectText')}
          action={t('reject')}
          onConfirm={() => save('schools', 'reject', { params })}
        >
          {t('reject')}
          <span className="hidden"> {name}</span>
        </ConfirmButton>
      </div>
    </li>
  )
}
