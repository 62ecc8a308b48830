import { standardSchoolDays, weekdays } from '@markbook/shared/domain/school-days'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type ReplyOf, useSave } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { Actions, Checkbox, Form } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Card, FailureNotice, Notice } from '../../components/page.tsx'
import { useUnloadQuestion } from '../../components/use-form.ts'
import { saveWithUndo } from '../../components/with-undo.ts'
import { enumerated, weekdayName } from '../../words/format.ts'
import styles from './school-page.module.css'

type School = ReplyOf<'schools', 'mine'>

/** The choice of the weekdays with school. */
export function SchoolDays({ school }: { school: School }) {
  const { t } = useTranslation('school')
  return (
    <Card title={t('days.title')}>
      <p className={layout['note']}>{t('days.hint')}</p>
      <Days stored={school.school_days} />
    </Card>
  )
}

function Days({ stored }: { stored: School['school_days'] }) {
  const { t } = useTranslation(['school', 'app'])
  const save = useSave('schools', 'updateMine')
  const mayChange = isAdmin(useProfile())
  const before = stored ?? standardSchoolDays
  /** The unsaved changes; every other day is as stored, also after changes by others. */
  const [ticks, setTicks] = useState<Readonly<Record<number, boolean>>>({})
  const days = weekdays.filter((day) => ticks[day] ?? before.includes(day))
  const isChanged = String(days) !== String(before)
  useUnloadQuestion(() => isChanged)
  const send = () => {
    if (!isChanged || days.length === 0) return
    const write = (schoolDays: number[] | null) => save.mutateAsync({ body: { schoolDays } })
    void saveWithUndo({
      said: t('days.saved', { days: enumerated(days.map(weekdayName)) }),
      run: () => write([...days]).then(() => setTicks({})),
      back: () => write(stored),
      // The card shows a failure.
    }).catch(() => {})
  }
  return (
    <Form onSend={send}>
      <FailureNotice failure={save.error} />
      <fieldset className={styles['days']}>
        <legend className="hidden">{t('days.title')}</legend>
        {weekdays.map((day) => (
          <Checkbox
            key={day}
            label={weekdayName(day)}
            checked={days.includes(day)}
            disabled={!mayChange}
            onChange={({ target }) => setTicks({ ...ticks, [day]: target.checked })}
          />
        ))}
      </fieldset>
      {days.length === 0 && <Notice tone="warn">{t('days.none')}</Notice>}
      {mayChange && (
        <Actions>
          <Button
            type="submit"
            look="primary"
            disabled={!isChanged || days.length === 0}
            busy={save.isPending}
            busyWord={t('app:state.saving')}
          >
            {t('app:action.save')}
          </Button>
        </Actions>
      )}
    </Form>
  )
}
