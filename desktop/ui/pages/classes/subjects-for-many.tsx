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
import { Answer, FailureNotice, Notice } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { listedName, nameOf } from '../../words/names.ts'
import { givenTo } from './taken.ts'

type Props = {
  classId: string
  students: readonly Student[]
  /** What was given to each so far; undefined while that is on its way. */
  taken: ReadonlyMap<string, unknown> | undefined
  /** What they take now, in words. */
  takenOf: (studentId: string) => string
  onClose: () => void
}
type Named = { id: string; name: string }

/** Several subjects for several pupils of the class at once; nobody loses one by it unless that is said. */
export function SubjectsForMany({ classId, students, taken, takenOf, onClose }: Props) {
  const { t } = useTranslation(['classes', 'app'])
  const { tell } = useToasts()
  const subjects = useQuery(ask('subjects', 'list'))
  const [subjectIds, setSubjectIds] = useState<ReadonlySet<string>>(new Set())
  const [studentIds, setStudentIds] = useState<ReadonlySet<string>>(new Set())
  const [isOnlyThese, setOnlyThese] = useState(false)
  const { everything, given: concerned } = givenTo(studentIds, taken ?? new Map(), isOnlyThese)
  const isAll = students.length > 0 && studentIds.size === students.length
  const give = useGiving(classId, concerned, (names) => {
    tell(t('given', { names, count: concerned.length }))
    onClose()
  })
  const isReady = taken !== undefined && subjectIds.size > 0 && concerned.length > 0
  const chosen = (subjects.data ?? []).filter(({ id }) => subjectIds.has(id))
  const save = () => {
    if (isReady && !give.isPending) give.mutate(chosen)
  }
  return (
    <Dialog open wide title={t('subjectsForMany')} lead={t('manyLead')} onClose={onClose}>
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
        {taken && subjectIds.size > 0 && everything.length > 0 && (
          <TakeAll
            subjects={chosen}
            pupils={students.filter(({ id }) => everything.includes(id))}
            isOnlyThese={isOnlyThese}
            onChange={setOnlyThese}
          />
        )}
        <Actions>
          <Button onClick={onClose}>{t('app:action.cancel')}</Button>
          <Button type="submit" look="primary" disabled={!isReady} busy={give.isPending} busyWord={t('app:state.saving')}>
            {t('giveChosen')}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  )
}

function useGiving(classId: string, studentIds: readonly string[], onGiven: (names: string) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (given: readonly Named[]) => {
      // Given again it changes nothing, so that another try goes on where this one failed.
      for (const { id: subjectId } of given)
        await client.classes.assignSubjectBulk({ params: { id: classId }, body: { subjectId, studentIds: [...studentIds] } })
    },
    onSettled: () => refresh(queries, ['classes', 'calculations', 'history']),
    onSuccess: (_done, given) => onGiven(given.map(({ name }) => name).join(', ')),
  })
}

type TakeAllProps = {
  subjects: readonly Named[]
  pupils: readonly Student[]
  isOnlyThese: boolean
  onChange: (isOnlyThese: boolean) => void
}

/** So many are named; the class can have forty. */
const NAMED = 6

/** Of those ticked, who takes every subject so far: what giving does to them, and whether it is to. */
function TakeAll({ subjects, pupils, isOnlyThese, onChange }: TakeAllProps) {
  const { t } = useTranslation('classes')
  const names = pupils.slice(0, NAMED).map(nameOf).join(', ')
  const said = {
    count: pupils.length,
    pupils: pupils.length > NAMED ? `${names} …` : names,
    subjects: subjects.map(({ name }) => name).join(', '),
  }
  return (
    <>
      <Notice tone={isOnlyThese ? 'warn' : 'info'}>{t(isOnlyThese ? 'onlyTheseWarning' : 'takeAllAlready', said)}</Notice>
      <Checkbox label={t('onlyThese')} checked={isOnlyThese} onChange={({ target }) => onChange(target.checked)} />
    </>
  )
}
