import type { JoinRequest } from '@markbook/shared/contract/schools'
import { limits } from '@markbook/shared/limits'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { askWhole, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Actions, Form, TextArea, TextField } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Answer, FailureNotice } from '../../components/page.tsx'
import { issueOf } from '../../words/failure.ts'
import { MAX_SHOWN, matching } from './school-list.ts'
import styles from './standalone-page.module.css'

type JoinSchoolProps = {
  not?: readonly string[]
  onCancel?: () => void
  onRequested?: (request: JoinRequest & { school: { name: string } }) => void
}

/** Finds a school and requests to join it. `not`: schools of which the person is a member. */
export function JoinSchool({ not = [], onCancel, onRequested }: JoinSchoolProps) {
  const { t } = useTranslation(['sign-in', 'app'])
  const schools = useQuery(askWhole('schools', 'list'))
  const request = useSave('schools', 'requestToJoin', ['auth'])
  const [chosen, setChosen] = useState('')
  const [message, setMessage] = useState('')
  const [isMissing, setMissing] = useState(false)
  const send = () => {
    setMissing(!chosen)
    if (chosen) request.mutate({ params: { schoolId: chosen }, body: { message: message.trim() || null } }, { onSuccess: onRequested })
  }
  return (
    <Answer of={schools}>
      {(list) => (
        <Form onSend={send} aria-label={t('join.title')}>
          <SchoolChoice schools={list.filter(({ id }) => !not.includes(id))} chosen={chosen} onChoose={setChosen} isMissing={isMissing} />
          <TextArea
            label={t('join.message')}
            hint={t('join.messageHint')}
            optional
            rows={3}
            maxLength={limits.text.joinMessage}
            value={message}
            error={issueOf(request.error, 'message')}
            onChange={({ target }) => setMessage(target.value)}
          />
          <FailureNotice failure={request.error} />
          <Actions>
            {onCancel && <Button onClick={onCancel}>{t('app:action.cancel')}</Button>}
            <Button type="submit" look="primary" busy={request.isPending}>
              {t('join.send')}
            </Button>
          </Actions>
        </Form>
      )}
    </Answer>
  )
}

type School = { id: string; name: string; school_type: 'primary' | 'secondary' }
type SchoolChoiceProps = { schools: readonly School[]; chosen: string; onChoose: (id: string) => void; isMissing: boolean }

function SchoolChoice({ schools, chosen, onChoose, isMissing }: SchoolChoiceProps) {
  const { t } = useTranslation('sign-in')
  const name = useId()
  const [search, setSearch] = useState('')
  const found = matching(schools, search)
  const shown = found.slice(0, MAX_SHOWN)
  return (
    <>
      <TextField
        label={t('join.search')}
        type="search"
        value={search}
        hint={t('join.found', { count: found.length })}
        error={isMissing && !chosen ? t('join.choose') : undefined}
        onChange={({ target }) => setSearch(target.value)}
      />
      {shown.length > 0 && (
        <fieldset className={styles['schools']} aria-label={t('join.list')}>
          {shown.map((school) => (
            <label key={school.id}>
              <input type="radio" name={name} checked={chosen === school.id} onChange={() => onChoose(school.id)} />
              {school.name} <span className={layout['note']}>{t(`type.${school.school_type}`)}</span>
            </label>
          ))}
        </fieldset>
      )}
      {found.length > MAX_SHOWN && <p>{t('join.more', { count: found.length - MAX_SHOWN })}</p>}
      {found.length === 0 && <p>{t('join.none')}</p>}
    </>
  )
}
