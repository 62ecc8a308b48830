import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, askWhole, type ReplyOf, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { SelectField } from '../../components/field.tsx'
import { Answer, Card, FailureNotice, Notice, Table } from '../../components/page.tsx'
import { moment } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import styles from './people.module.css'

type Member = ReplyOf<'schools', 'members'>[number]

/** One code for one person, once, for ten minutes (decisions §3): the way in when no mail leaves. */
export function Desk() {
  const { t } = useTranslation('people')
  const members = useQuery(askWhole('schools', 'members'))
  const known = members.data ?? []
  // The desk makes nobody the head: administrators have the console.
  const offered = known.filter(({ role, is_active }) => is_active && role !== 'admin')
  return (
    <Card title={t('desk')}>
      <p>{t('deskLead')}</p>
      {offered.length > 0 && <Issue members={offered} />}
      <h3>{t('log')}</h3>
      <Log members={known} />
    </Card>
  )
}

function Issue({ members }: { members: readonly Member[] }) {
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
          {members.map((member) => (
            <option key={member.user_id} value={member.user_id}>
              {nameOf(member)}
            </option>
          ))}
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

function Log({ members }: { members: readonly Member[] }) {
  const { t } = useTranslation('people')
  const entries = useQuery(ask('outage', 'deskCodes'))
  const named = (userId: string, email: string) => {
    const member = members.find(({ user_id }) => user_id === userId)
    return member ? nameOf(member) : email
  }
  return (
    <Answer of={entries} empty={t('noLog')}>
      {(list) => (
        <Table label={t('log')}>
          <thead>
            <tr>
              <th scope="col">{t('when')}</th>
              <th scope="col">{t('deskFor')}</th>
              <th scope="col">{t('what')}</th>
            </tr>
          </thead>
          <tbody>
            {list.map(({ id, at, user_id, email, action, actor }) => (
              <tr key={id}>
                <td>{moment(at)}</td>
                <th scope="row">{named(user_id, email)}</th>
                <td>{action === 'create' && actor ? t('given', { name: nameOf(actor) }) : t('used')}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Answer>
  )
}
