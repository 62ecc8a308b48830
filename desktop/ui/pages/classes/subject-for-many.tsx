import type { Student } from '@markbook/shared/contract/students'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { CheckList } from '../../components/check-list.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions, Checkbox, Form, SelectField } from '../../components/field.tsx'
import { FailureNotice } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { listedName } from '../../words/names.ts'

/** One subject for several pupils of the class at once. */
export function SubjectForMany({ classId, students, onClose }: { classId: string; students: readonly Student[]; onClose: () => void }) {
  const { t } = useTranslation(['classes', 'app'])
  const { tell } = useToasts()
  const subjects = useQuery(ask('subjects', 'list'))
  const assign = useSave('classes', 'assignSubjectBulk')
  const [subjectId, setSubjectId] = useState('')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const offered = (subjects.data ?? []).filter(({ is_active }) => is_active)
  const subject = offered.find(({ id }) => id === subjectId) ?? offered[0]
  const isAll = students.length > 0 && chosen.size === students.length
  const save = async () => {
    if (!subject || chosen.size === 0) return
    await assign.mutateAsync({ params: { id: classId }, body: { subjectId: subject.id, studentIds: [...chosen] } })
    tell(t('given', { name: subject.name }))
    onClose()
  }
  return (
    <Dialog open title={t('subjectForMany')} lead={t('subjectsLead')} onClose={onClose}>
      <Form onSend={() => void save().catch(() => null)}>
        <FailureNotice failure={assign.error} />
        <SelectField label={t('subject')} value={subject?.id ?? ''} onChange={({ target }) => setSubjectId(target.value)}>
          {offered.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <Checkbox label={t('all')} checked={isAll} onChange={() => setChosen(new Set(isAll ? [] : students.map(({ id }) => id)))} />
        <CheckList
          label={t('subjectForManyTitle')}
          choices={students.map((student) => ({ id: student.id, name: listedName(student) }))}
          chosen={chosen}
          onChange={setChosen}
        />
        <Actions>
          <Button onClick={onClose}>{t('app:action.cancel')}</Button>
          <Button type="submit" look="primary" disabled={chosen.size === 0 || !subject} busy={assign.isPending}>
            {t('give')}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  )
}
