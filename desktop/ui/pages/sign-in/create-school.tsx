import { limits } from '@markbook/shared/limits'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Actions, Checkbox, Form, Row, TextField } from '../../components/field.tsx'
import { FailureNotice } from '../../components/page.tsx'
import { issueOf } from '../../words/failure.ts'
import styles from './outside.module.css'

const types = ['primary', 'secondary'] as const
type Text = 'name' | 'address' | 'email' | 'phone'

/** Opens a school; whoever does is its administrator. The page goes on by itself, since the profile then has a school. */
export function CreateSchool() {
  const { t } = useTranslation(['sign-in', 'app'])
  const create = useSave('schools', 'create', ['auth'])
  const [texts, setTexts] = useState<Record<Text, string>>({ name: '', address: '', email: '', phone: '' })
  const [type, setType] = useState<(typeof types)[number]>('secondary')
  const [starterSubjects, setStarterSubjects] = useState(true)
  const [isTried, setTried] = useState(false)
  const send = () => {
    setTried(true)
    if (!texts.name.trim()) return
    const contact = { address: texts.address || null, email: texts.email || null, phone: texts.phone || null }
    create.mutate({ body: { name: texts.name.trim(), schoolType: type, starterSubjects, ...contact } })
  }
  const field = (text: Text) => ({
    label: t(`create.${text}`),
    value: texts[text],
    error: issueOf(create.error, text),
    onChange: ({ target }: { target: { value: string } }) => setTexts({ ...texts, [text]: target.value }),
  })
  const missing = isTried && !texts.name.trim() ? t('app:field.required') : undefined
  return (
    <Form onSend={send} aria-label={t('create.title')}>
      <TextField
        {...field('name')}
        error={missing ?? issueOf(create.error, 'name')}
        maxLength={limits.text.name}
        autoComplete="organization"
      />
      <TypeChoice type={type} onChoose={setType} />
      <Checkbox label={t('create.subjects')} checked={starterSubjects} onChange={({ target }) => setStarterSubjects(target.checked)} />
      <TextField {...field('address')} optional maxLength={limits.text.address} hint={t('create.addressHint')} />
      <Row>
        <TextField {...field('email')} optional type="email" />
        <TextField {...field('phone')} optional type="tel" maxLength={limits.text.phone} />
      </Row>
      <FailureNotice failure={create.error} />
      <Actions>
        <Button type="submit" look="primary" busy={create.isPending}>
          {t('create.send')}
        </Button>
      </Actions>
    </Form>
  )
}

type Type = (typeof types)[number]
function TypeChoice({ type, onChoose }: { type: Type; onChoose: (type: Type) => void }) {
  const { t } = useTranslation('sign-in')
  const name = useId()
  return (
    <fieldset className={styles['radios']}>
      <legend>{t('create.type')}</legend>
      {types.map((value) => (
        <label key={value}>
          <input type="radio" name={name} checked={type === value} onChange={() => onChoose(value)} />
          {t(`type.${value}`)}
        </label>
      ))}
    </fieldset>
  )
}
