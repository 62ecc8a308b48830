import { limits } from '@markbook/shared/limits'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSave } from '../../api/queries.ts'
import { useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { Actions, Form, Row, TextField } from '../../components/field.tsx'
import { Card, FailureNotice } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { issueOf } from '../../words/failure.ts'

export function Names() {
  const { t } = useTranslation(['account', 'app'])
  const profile = useProfile()
  const { tell } = useToasts()
  const [first, setFirst] = useState(profile.first_name ?? '')
  const [last, setLast] = useState(profile.last_name ?? '')
  const [isTried, setTried] = useState(false)
  const save = useSave('auth', 'updateProfile')
  const send = () => {
    setTried(true)
    if (!first.trim() || !last.trim()) return
    save.mutate({ body: { firstName: first.trim(), lastName: last.trim() } }, { onSuccess: () => tell(t('names.saved')) })
  }
  const missing = (value: string) => (isTried && !value.trim() ? t('app:field.required') : undefined)
  return (
    <Card title={t('names.title')}>
      <Form onSend={send}>
        <Row>
          <TextField
            label={t('names.first')}
            autoComplete="given-name"
            maxLength={limits.text.name}
            value={first}
            error={missing(first) ?? issueOf(save.error, 'firstName')}
            onChange={({ target }) => setFirst(target.value)}
          />
          <TextField
            label={t('names.last')}
            autoComplete="family-name"
            maxLength={limits.text.name}
            value={last}
            error={missing(last) ?? issueOf(save.error, 'lastName')}
            onChange={({ target }) => setLast(target.value)}
          />
        </Row>
        <FailureNotice failure={save.error} />
        <Actions>
          <Button type="submit" look="primary" busy={save.isPending} busyWord={t('app:state.saving')}>
            {t('app:action.save')}
          </Button>
        </Actions>
      </Form>
    </Card>
  )
}
