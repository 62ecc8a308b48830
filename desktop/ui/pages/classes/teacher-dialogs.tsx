import type { ClassTeacher } from '@markbook/shared/contract/classes'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { CheckList } from '../../components/check-list.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions, Form, SelectField } from '../../components/field.tsx'
import { FailureNotice } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { nameOf } from '../../words/names.ts'

type Props = { classId: string; teacher: ClassTeacher | null; known: readonly ClassTeacher[]; onClose: () => void }

/** Adds a teacher to the class (`teacher` is null), or changes what one teaches in it. */
export function TeacherDialog({ classId, teacher, known, onClose }: Props) {
  const { t } = useTranslation(['classes', 'app'])
  const subjects = useQuery(ask('subjects', 'list'))
  const staff = useQuery(ask('classes', 'schoolTeachers'))
  const save = useSave('classes', 'addTeacher')
  const free = (staff.data ?? []).filter(({ id }) => known.every(({ teacherId }) => teacherId !== id))
  const [teacherId, setTeacherId] = useState(teacher?.teacherId ?? '')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(teacher?.subjects.map(({ id }) => id)))
  const somebody = teacherId || free[0]?.id
  const send = async () => {
    if (!somebody) return
    await save.mutateAsync({ params: { classId }, body: { teacherId: somebody, subjectIds: [...chosen] } })
    onClose()
  }
  const title = teacher
    ? t('teacherTitle', { name: nameOf({ first_name: teacher.firstName, last_name: teacher.lastName }) })
    : t('addTeacher')
  return (
    <Dialog open title={title} onClose={onClose}>
      <Form onSend={() => void send().catch(() => null)}>
        <FailureNotice failure={save.error} />
        {!teacher && (
          <SelectField label={t('whichTeacher')} value={somebody ?? ''} onChange={({ target }) => setTeacherId(target.value)}>
            {free.map((person) => (
              <option key={person.id} value={person.id}>
                {nameOf(person)}
              </option>
            ))}
          </SelectField>
        )}
        <CheckList
          label={t('teaches')}
          choices={(subjects.data ?? []).filter(({ id, is_active }) => is_active || chosen.has(id))}
          chosen={chosen}
          onChange={setChosen}
        />
        <Actions>
          <Button onClick={onClose}>{t('app:action.cancel')}</Button>
          <Button type="submit" look="primary" disabled={!somebody} busy={save.isPending} busyWord={t('app:state.saving')}>
            {t('app:action.save')}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  )
}

/** Another class teacher from now on. */
export function HandOver({ classId, className, onClose }: { classId: string; className: string; onClose: () => void }) {
  const { t } = useTranslation(['classes', 'app'])
  const { tell } = useToasts()
  const staff = useQuery(ask('classes', 'schoolTeachers'))
  const handOver = useSave('classes', 'handOver')
  const [teacherId, setTeacherId] = useState('')
  const send = async () => {
    if (!teacherId) return
    await handOver.mutateAsync({ params: { classId }, body: { teacherId } })
    tell(t('handedOver'))
    onClose()
  }
  return (
    <Dialog open title={t('handOverTitle', { name: className })} lead={t('handOverLead')} onClose={onClose}>
      <Form onSend={() => void send().catch(() => null)}>
        <FailureNotice failure={handOver.error} />
        <SelectField label={t('handOverTo')} value={teacherId} onChange={({ target }) => setTeacherId(target.value)}>
          <option value="">{t('app:action.choose')}</option>
          {(staff.data ?? []).map((person) => (
            <option key={person.id} value={person.id}>
              {nameOf(person)}
            </option>
          ))}
        </SelectField>
        <Actions>
          <Button onClick={onClose}>{t('app:action.cancel')}</Button>
          <Button type="submit" look="primary" disabled={!teacherId} busy={handOver.isPending} busyWord={t('app:state.saving')}>
            {t('handOver')}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  )
}
