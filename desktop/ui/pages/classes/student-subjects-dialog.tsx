import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { CheckList } from '../../components/check-list.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions, Form } from '../../components/field.tsx'
import { FailureNotice, Loading } from '../../components/page.tsx'
import { nameOf } from '../../words/names.ts'

type Props = { classId: string; student: { id: string; first_name: string; last_name: string }; onClose: () => void }

/** What one pupil takes; nobody ticked anything: every subject of the class (decisions §4). */
export function StudentSubjectsDialog({ classId, student, onClose }: Props) {
  const { t } = useTranslation(['classes', 'app'])
  const subjects = useQuery(ask('subjects', 'list'))
  const own = useQuery(ask('classes', 'studentSubjects', { params: { id: classId, sid: student.id } }))
  const assign = useSave('classes', 'assignSubjects')
  const take = useSave('classes', 'removeStudentSubject')
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null)
  useEffect(() => {
    if (own.data) setChosen((before) => before ?? new Set(own.data.map(({ id }) => id)))
  }, [own.data])
  const save = async () => {
    if (!chosen || !own.data) return
    const before = new Set(own.data.map(({ id }) => id))
    const added = [...chosen].filter((id) => !before.has(id))
    // What is added goes first: in between the pupil never takes every subject.
    if (added.length > 0) await assign.mutateAsync({ params: { id: classId }, body: { studentId: student.id, subjectIds: added } })
    for (const id of before) {
      if (!chosen.has(id)) await take.mutateAsync({ params: { id: classId, sid: student.id, subjectId: id } })
    }
    onClose()
  }
  const choices = (subjects.data ?? []).filter(({ id, is_active }) => is_active || chosen?.has(id))
  return (
    <Dialog open title={t('subjectsOf', { name: nameOf(student) })} lead={t('subjectsLead')} onClose={onClose}>
      <Form onSend={() => void save().catch(() => null)}>
        <FailureNotice failure={own.error ?? assign.error ?? take.error} />
        {chosen ? <CheckList label={t('subject')} choices={choices} chosen={chosen} onChange={setChosen} /> : <Loading />}
        <Actions>
          <Button onClick={onClose}>{t('app:action.cancel')}</Button>
          <Button type="submit" look="primary" busy={assign.isPending || take.isPending} busyWord={t('app:state.saving')}>
            {t('app:action.save')}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  )
}
