import type { Student } from '@markbook/shared/contract/students'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { ask, refresh } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { CheckList } from '../../components/check-list.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions, Checkbox, Form, Row } from '../../components/field.tsx'
import { Answer, FailureNotice } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { listedName } from '../../words/names.ts'

type Props = {
  classId: string
  students: readonly Student[]
  /** What they take now, in words. */
  takenOf: (studentId: string) => string
  onClose: () => void
}
type Named = { id: string; name: string }

/** Several subjects for several pupils of the class at once; what they have already stays. */
export function SubjectsForMany({ classId, students, takenOf, onClose }: Props) {
  const { t } = useTranslation(['classes', 'app'])
  const { tell } = useToasts()
  const subjects = useQuery(ask('subjects', 'list'))
  const queries = useQueryClient()
  const [subjectIds, setSubjectIds] = useState<ReadonlySet<string>>(new Set())
  const [studentIds, setStudentIds] = useState<ReadonlySet<string>>(new Set())
  const isAll = students.length > 0 && studentIds.size === students.length
  const give = useMutation({
    mutationFn: async (given: readonly Named[]) => {
      // Given again it changes nothing, so that another try goes on where this one failed.
      for (const { id: subjectId } of given)
        await client.classes.assignSubjectBulk({ params: { id: classId }, body: { subjectId, studentIds: [...studentIds] } })
    },
    onSettled: () => refresh(queries, ['classes', 'calculations', 'history']),
    onSuccess: (_done, given) => {
      tell(t('given', { names: given.map(({ name }) => name).join(', '), count: studentIds.size }))
      onClose()
    },
  })
  const isReady = subjectIds.size > 0 && studentIds.size > 0
  const save = () => {
    const chosen = (subjects.data ?? []).filter(({ id }) => subjectIds.has(id))
    if (isReady && !give.isPending) give.mutate(chosen)
  }
  return (
    <Dialog open wide title={t('subjectsForMany')} lead={t('subjectsLead')} onClose={onClose}>
      <Form onSend={save}>
        <FailureNotice failure={give.error} />
        <Answer of={subjects}>
          {(list) => (
            <Row>
              <CheckList
                label={t('subjectsForManyWhat')}
                choices={list.filter(({ is_active }) => is_active)}
                chosen={subjectIds}
                onChange={setSubjectIds}
              />
              <div>
                <Checkbox
                  label={t('all')}
                  checked={isAll}
                  onChange={() => setStudentIds(new Set(isAll ? [] : students.map(({ id }) => id)))}
                />
                <CheckList
                  label={t('subjectsForManyWho')}
                  choices={students.map((student) => ({ id: student.id, name: listedName(student), about: takenOf(student.id) }))}
                  chosen={studentIds}
                  onChange={setStudentIds}
                />
              </div>
            </Row>
          )}
        </Answer>
        <Actions>
          <Button onClick={onClose}>{t('app:action.cancel')}</Button>
          <Button type="submit" look="primary" disabled={!isReady} busy={give.isPending}>
            {t('giveChosen')}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  )
}
