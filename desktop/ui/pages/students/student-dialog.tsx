import type { Student } from '@markbook/shared/contract/students'
import { useTranslation } from 'react-i18next'
import { useSave } from '../../api/queries.ts'
import { FormDialog } from '../../components/dialog.tsx'
import { Checkbox, Options, Row, SelectField, TextField } from '../../components/field.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { useDraft } from '../../components/use-draft.ts'
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
  const failure = create.error ?? update.error
  const { draft, set, field, check } = useDraft(() => draftOf(student), failure, ['firstName', 'lastName', 'gender'])
  const save = async () => {
    const { gender } = draft
    if (!check() || !gender) return
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
    <FormDialog
      title={student ? t('changeOf', { name: nameOf(student) }) : t('add')}
      failure={failure}
      busy={create.isPending || update.isPending}
      onSave={save}
      onClose={onClose}
    >
      <Row>
        <TextField {...field('firstName')} label={t('firstName')} maxLength={200} />
        <TextField {...field('lastName')} label={t('lastName')} maxLength={200} />
      </Row>
      <Row>
        <SelectField {...field('gender')} label={t('gender')}>
          <option value="">{t('app:action.choose')}</option>
          <Options of={(['female', 'male', 'other'] as const).map((id) => ({ id, name: t(id) }))} />
        </SelectField>
        <TextField {...field('studentNumber')} label={t('studentNumber')} optional hint={t('numberHint')} maxLength={40} />
      </Row>
      <Row>
        <TextField {...field('dateOfBirth')} label={t('dateOfBirth')} optional type="date" />
        <TextField {...field('enrollmentDate')} label={t('enrollmentDate')} optional type="date" />
      </Row>
      {student && <Checkbox label={t('isActive')} checked={draft.isActive} onChange={({ target }) => set({ isActive: target.checked })} />}
    </FormDialog>
  )
}
