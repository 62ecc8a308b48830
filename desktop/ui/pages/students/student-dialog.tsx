import type { Student } from '@markbook/shared/contract/students'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions, Checkbox, Form, Row, SelectField, TextField } from '../../components/field.tsx'
import { FailureNotice } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { issueOf } from '../../words/failure.ts'
import { nameOf } from '../../words/names.ts'

type Draft = {
  firstName: string
  lastName: string
  gender: Student['gender'] | ''
  dateOfBirth: string
  enrollmentDate: string
  studentNumber: string
  isActive: boolean
}

const draftOf = (student: Student | null): Draft => ({
  firstName: student?.first_name ?? '',
  lastName: student?.last_name ?? '',
  gender: student?.gender ?? '',
  dateOfBirth: student?.date_of_birth ?? '',
  enrollmentDate: student?.enrollment_date ?? '',
  studentNumber: student?.student_number ?? '',
  isActive: student?.is_active ?? true,
})

/** Adds a pupil (`student` is null) or changes one. */
export function StudentDialog({ student, onClose }: { student: Student | null; onClose: () => void }) {
  const { t } = useTranslation(['students', 'app'])
  const { tell } = useToasts()
  const create = useSave('students', 'create')
  const update = useSave('students', 'update', ['classes', 'reports', 'grades'])
  const [draft, setDraft] = useState(() => draftOf(student))
  const [isTried, setTried] = useState(false)
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change })
  const missing = (text: string) => (isTried && text.trim() === '' ? t('app:field.required') : undefined)
  const failure = create.error ?? update.error
  const save = async () => {
    setTried(true)
    const { gender } = draft
    if (!draft.firstName.trim() || !draft.lastName.trim() || !gender) return
    const body = {
      firstName: draft.firstName.trim(),
      lastName: draft.lastName.trim(),
      gender,
      dateOfBirth: draft.dateOfBirth || null,
      enrollmentDate: draft.enrollmentDate || null,
      studentNumber: draft.studentNumber.trim() || null,
    }
    const saved = student
      ? await update.mutateAsync({ params: { id: student.id }, body: { ...body, isActive: draft.isActive } })
      : await create.mutateAsync({ body })
    tell(t('saved', { name: nameOf(saved) }))
    onClose()
  }
  return (
    <Dialog open title={student ? t('changeOf', { name: nameOf(student) }) : t('add')} onClose={onClose}>
      <Form onSend={() => void save().catch(() => null)}>
        <FailureNotice failure={failure} />
        <Row>
          <TextField
            label={t('firstName')}
            value={draft.firstName}
            maxLength={200}
            error={missing(draft.firstName) ?? issueOf(failure, 'firstName')}
            onChange={({ target }) => set({ firstName: target.value })}
          />
          <TextField
            label={t('lastName')}
            value={draft.lastName}
            maxLength={200}
            error={missing(draft.lastName) ?? issueOf(failure, 'lastName')}
            onChange={({ target }) => set({ lastName: target.value })}
          />
        </Row>
        <Row>
          <SelectField
            label={t('gender')}
            value={draft.gender}
            error={missing(draft.gender)}
            onChange={({ target }) => set({ gender: target.value as Student['gender'] })}
          >
            <option value="">{t('app:action.choose')}</option>
            {(['female', 'male', 'other'] as const).map((gender) => (
              <option key={gender} value={gender}>
                {t(gender)}
              </option>
            ))}
          </SelectField>
          <TextField
            label={t('studentNumber')}
            optional
            hint={t('numberHint')}
            value={draft.studentNumber}
            maxLength={40}
            error={issueOf(failure, 'studentNumber')}
            onChange={({ target }) => set({ studentNumber: target.value })}
          />
        </Row>
        <Row>
          <TextField
            label={t('dateOfBirth')}
            optional
            type="date"
            value={draft.dateOfBirth}
            error={issueOf(failure, 'dateOfBirth')}
            onChange={({ target }) => set({ dateOfBirth: target.value })}
          />
          <TextField
            label={t('enrollmentDate')}
            optional
            type="date"
            value={draft.enrollmentDate}
            error={issueOf(failure, 'enrollmentDate')}
            onChange={({ target }) => set({ enrollmentDate: target.value })}
          />
        </Row>
        {student && (
          <Checkbox label={t('isActive')} checked={draft.isActive} onChange={({ target }) => set({ isActive: target.checked })} />
        )}
        <Actions>
          <Button onClick={onClose}>{t('app:action.cancel')}</Button>
          <Button type="submit" look="primary" busy={create.isPending || update.isPending} busyWord={t('app:state.saving')}>
            {t('app:action.save')}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  )
}
