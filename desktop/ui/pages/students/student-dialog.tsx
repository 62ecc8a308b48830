import type { Student } from '@markbook/shared/contract/students'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { useCreateOnce } from '../../api/create-once.ts'
import { ask, save } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { FormDialog } from '../../components/dialog.tsx'
import { Checkbox, Options, Row, SelectField, TextField } from '../../components/field.tsx'
import { Notice } from '../../components/page.tsx'
import { tellFailure } from '../../components/toasts.tsx'
import { useForm } from '../../components/use-form.ts'
import { backTo, saveWithUndo } from '../../components/with-undo.ts'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { nameOf } from '../../words/names.ts'

const draftOf = (student: Student | null) => ({
  firstName: student?.first_name ?? '',
  lastName: student?.last_name ?? '',
  gender: student?.gender ?? ('' as const),
  dateOfBirth: student?.date_of_birth ?? '',
  enrollmentDate: student?.enrollment_date ?? '',
  studentNumber: student?.student_number ?? '',
  isActive: student?.is_active ?? true,
  /** The class of a new pupil; '' for none. */
  classId: '',
})

type Draft = ReturnType<typeof draftOf>
const textsOf = ({ firstName, lastName, enrollmentDate, studentNumber }: Draft) => ({
  firstName: firstName.trim(),
  lastName: lastName.trim(),
  enrollmentDate: enrollmentDate || null,
  studentNumber: studentNumber.trim() || null,
})
const personalOf = ({ gender, dateOfBirth }: Draft) => gender && { gender, dateOfBirth: dateOfBirth || null }

type Body = ReturnType<typeof textsOf> & NonNullable<Exclude<ReturnType<typeof personalOf>, ''>>

/** Whether a pupil has these values; who may not see gender and birth date gets null for both. */
const isSame = (student: Student, body: Body) => {
  const draft = draftOf(student)
  return JSON.stringify({ ...body, ...textsOf(draft), ...personalOf(draft) }) === JSON.stringify(body)
}

/** The pupil has been added where only joining the class fails; sending all again would add another one. */
async function createIn(classId: string, body: Body, createOnce: ReturnType<typeof useCreateOnce>) {
  const made = await createOnce(
    () => save('students', 'create', { body }),
    () => client.students.list({ query: { search: body.lastName } }),
    (student) => isSame(student, body),
  )
  if (classId)
    await save('classes', 'enrollBulk', { params: { id: classId }, body: { studentIds: [made.id] } }, ['students']).catch(tellFailure)
  return made
}

/** Adds a pupil (`student` null) or changes one. */
export function StudentDialog({ student }: { student: Student | null }) {
  const { t } = useTranslation(['students', 'app'])
  const profile = useProfile()
  const createOnce = useCreateOnce('students')
  // A person who may not see gender and birth date does not get them, and does not send them.
  const isSeen = student === null || student.gender !== null
  const form = useForm({
    initial: () => draftOf(student),
    next: student ? undefined : ({ classId }) => ({ ...draftOf(null), classId }),
    required: ['firstName', 'lastName', ...(isSeen ? (['gender'] as const) : [])],
    save: async (typed) => {
      const body = textsOf(typed)
      const personal = personalOf(typed)
      const said = t('saved', { name: `${body.firstName} ${body.lastName}` })
      if (student) {
        const write = (change: Partial<typeof after>) =>
          save('students', 'update', { params: { id: student.id }, body: change }, ['classes', 'reports', 'grades'])
        const changeOf = (draft: typeof typed) => ({ ...textsOf(draft), ...personalOf(draft), isActive: draft.isActive })
        const after = changeOf(typed)
        await saveWithUndo({ said, run: () => write(after), back: backTo(changeOf(draftOf(student)), after, write) })
      } else if (personal) {
        await saveWithUndo({
          said,
          run: () => createIn(typed.classId, { ...body, ...personal }, createOnce),
          back: isAdmin(profile) ? ({ id }) => save('students', 'remove', { params: { id } }, ['classes']) : null,
        })
      }
    },
  })
  const { draft, set, field } = form
  return (
    <FormDialog title={student ? t('changeOf', { name: nameOf(student) }) : t('add')} form={form}>
      <Row>
        <TextField {...field('firstName')} label={t('firstName')} maxLength={200} />
        <TextField {...field('lastName')} label={t('lastName')} maxLength={200} />
      </Row>
      <Row>
        {isSeen && (
          <SelectField {...field('gender')} label={t('gender')}>
            <option value="">{t('app:action.choose')}</option>
            <Options of={(['female', 'male', 'other'] as const).map((id) => ({ id, name: t(id) }))} />
          </SelectField>
        )}
        <TextField {...field('studentNumber')} label={t('studentNumber')} optional hint={t('numberHint')} maxLength={40} />
      </Row>
      <Row>
        {isSeen && <TextField {...field('dateOfBirth')} label={t('dateOfBirth')} optional type="date" />}
        <TextField {...field('enrollmentDate')} label={t('enrollmentDate')} optional type="date" />
      </Row>
      {!student && <ClassField {...field('classId')} />}
      {student && <Checkbox label={t('isActive')} checked={draft.isActive} onChange={({ target }) => set({ isActive: target.checked })} />}
      {student?.is_active && !draft.isActive && <Notice>{t('staysInClass')}</Notice>}
    </FormDialog>
  )
}

type ClassFieldProps = { value: string; error: string | undefined; onChange: (event: { target: { value: string } }) => void }

/** The class of a new pupil, among those in which this person may enrol; renders nothing without any. */
function ClassField(field: ClassFieldProps) {
  const { t } = useTranslation('students')
  const profile = useProfile()
  const { year } = useChosenTerm()
  const query = { query: { academicYearId: year?.id ?? '' } }
  const classes = useQuery({ ...ask('classes', 'list', query), enabled: year !== null })
  const own = (classes.data ?? []).filter(({ isClassTeacher }) => isClassTeacher || isAdmin(profile))
  if (own.length === 0) return null
  return (
    <SelectField {...field} label={t('class')} optional>
      <option value="">{t('noClassYet')}</option>
      <Options of={own} />
    </SelectField>
  )
}
