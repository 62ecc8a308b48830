import type { Student } from '@markbook/shared/contract/students'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { ask, refresh } from '../../api/queries.ts'
import { FormDialog } from '../../components/dialog.tsx'
import { Checkbox, CheckList, Row } from '../../components/field.tsx'
import { Answer, Notice } from '../../components/page.tsx'
import { useForm } from '../../components/use-form.ts'
import { listedName, nameOf } from '../../words/names.ts'
import { assignmentOf } from './subject-assignment.ts'

type Props = {
  classId: string
  students: readonly Student[]
  /** The subjects of each so far; undefined while they are loading. */
  taken: ReadonlyMap<string, unknown> | undefined
  /** Their subjects as text. */
  takenOf: (studentId: string) => string
  onClose: () => void
}
type Named = { id: string; name: string }

/** Assigns several subjects to several pupils of the class. No pupil loses a subject unless that is chosen. */
export function SubjectsForMany({ classId, students, taken, takenOf, onClose }: Props) {
  const { t } = useTranslation(['classes', 'app'])
  const subjects = useQuery(ask('subjects', 'list'))
  const [subjectIds, setSubjectIds] = useState<ReadonlySet<string>>(new Set())
  const [studentIds, setStudentIds] = useState<ReadonlySet<string>>(new Set())
  const [isOnlyThese, setOnlyThese] = useState(false)
  const { everything, assigned: concerned } = assignmentOf(studentIds, taken ?? new Map(), isOnlyThese)
  const isAll = students.length > 0 && studentIds.size === students.length
  const isReady = taken !== undefined && subjectIds.size > 0 && concerned.length > 0
  const chosen = (subjects.data ?? []).filter(({ id }) => subjectIds.has(id))
  const assign = async () => {
    // A repeated assignment changes nothing, so a retry continues where this one failed.
    for (const { id: subjectId } of chosen)
      await client.classes.assignSubjectBulk({ params: { id: classId }, body: { subjectId, studentIds: [...concerned] } })
    return t('given', { names: chosen.map(({ name }) => name).join(', '), count: concerned.length })
  }
  const form = useForm({
    initial: {},
    isValid: () => isReady,
    save: () => assign().finally(() => refresh(['classes', 'calculations', 'history'])),
    onSaved: onClose,
  })
  return (
    <FormDialog
      wide
      title={t('subjectsForMany')}
      lead={t('manyLead')}
      form={form}
      disabled={!isReady}
      action={t('giveChosen')}
      onClose={onClose}
    >
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
    </FormDialog>
  )
}

type TakeAllProps = {
  subjects: readonly Named[]
  pupils: readonly Student[]
  isOnlyThese: boolean
  onChange: (isOnlyThese: boolean) => void
}

/** The most pupils that a notice names. */
const MAX_NAMES = 6

/** Names the ticked pupils who take every subject, and asks whether they are to take only the chosen ones. */
function TakeAll({ subjects, pupils, isOnlyThese, onChange }: TakeAllProps) {
  const { t } = useTranslation('classes')
  const names = pupils.slice(0, MAX_NAMES).map(nameOf).join(', ')
  const values = {
    count: pupils.length,
    pupils: pupils.length > MAX_NAMES ? `${names} …` : names,
    subjects: subjects.map(({ name }) => name).join(', '),
  }
  return (
    <>
      <Notice tone={isOnlyThese ? 'warn' : 'info'}>{t(isOnlyThese ? 'onlyTheseWarning' : 'takeAllAlready', values)}</Notice>
      <Checkbox label={t('onlyThese')} checked={isOnlyThese} onChange={({ target }) => onChange(target.checked)} />
    </>
  )
}
