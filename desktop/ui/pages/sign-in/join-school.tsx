import { limits } from '@markbook/shared/limits'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { askWhole, save } from '../../api/queries.ts'
import { Form, SaveActions, TextArea, TextField } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Answer, FailureNotice } from '../../components/page.tsx'
import { useForm } from '../../components/use-form.ts'
import { MAX_SHOWN, matching } from './school-list.ts'
import styles from './standalone-page.module.css'

type JoinSchoolProps = { not?: readonly string[]; savedWord?: (school: string) => string }

/** Finds a school and requests to join it. `not`: the ids of schools that the person belongs to. */
export function JoinSchool({ not = [], savedWord }: JoinSchoolProps) {
  const { t } = useTranslation(['sign-in', 'app'])
  const schools = useQuery(askWhole('schools', 'list'))
  const { draft, set, field, send, isChecked, busy, failure } = useForm({
    initial: { chosen: '', message: '' },
    required: ['chosen'],
    save: async ({ chosen, message }) => {
      const request = { params: { schoolId: chosen }, body: { message: message.trim() || null } }
      const { school } = await save('schools', 'requestToJoin', request, ['auth'])
      return savedWord?.(school.name)
    },
  })
  return (
    <Answer of={schools}>
      {(list) => (
        <Form onSend={send} aria-label={t('join.title')}>
          <SchoolChoice
            schools={list.filter(({ id }) => !not.includes(id))}
            chosen={draft.chosen}
            onChoose={(chosen) => set({ chosen })}
            isMissing={isChecked}
          />
          <TextArea
            label={t('join.message')}
            hint={t('join.messageHint')}
            optional
            rows={3}
            maxLength={limits.text.joinMessage}
            {...field('message')}
          />
          <FailureNotice failure={failure} />
          <SaveActions action={t('join.send')} busy={busy} busyWord={t('app:state.wait')} />
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
