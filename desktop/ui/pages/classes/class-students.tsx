import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, askWhole, type ReplyOf, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Answer, Card, Table } from '../../components/page.tsx'
import { listedName, nameOf } from '../../words/names.ts'
import styles from './classes.module.css'
import { EnrolDialog } from './enrol-dialog.tsx'
import { StudentSubjectsDialog } from './student-subjects-dialog.tsx'
import { SubjectsForMany } from './subjects-for-many.tsx'
import { subjectsByStudentId } from './taken.ts'

type Enrolled = ReplyOf<'classes', 'students'>[number]
type Props = { classId: string; className: string; yearId: string; mayChange: boolean }
type Shown = { kind: 'enrol' | 'many' } | { kind: 'unenrol' | 'subjects'; student: Enrolled }

export function ClassStudents({ classId, className, yearId, mayChange }: Props) {
  const { t } = useTranslation('classes')
  const students = useQuery(ask('classes', 'students', { params: { id: classId } }))
  const taken = useTaken(classId)
  const takenOf = useTakenOf(taken)
  const unenrol = useSave('classes', 'unenroll', ['students'])
  const [shown, setShown] = useState<Shown | null>(null)
  const close = () => setShown(null)
  const actions = mayChange && (
    <>
      <Button onClick={() => setShown({ kind: 'many' })}>{t('subjectsForMany')}</Button>
      <Button look="primary" onClick={() => setShown({ kind: 'enrol' })}>
        {t('enrol')}
      </Button>
    </>
  )
  const count = students.data?.length ?? 0
  return (
    <Card title={students.data ? t('studentCount', { count }) : t('students')} actions={actions}>
      <Answer of={students} empty={t('noStudents')}>
        {(list) => <Students students={list} takenOf={takenOf} mayChange={mayChange} onShow={setShown} />}
      </Answer>
      {shown?.kind === 'enrol' && <EnrolDialog classId={classId} className={className} yearId={yearId} onClose={close} />}
      {shown?.kind === 'many' && (
        <SubjectsForMany classId={classId} students={students.data ?? []} taken={taken} takenOf={takenOf} onClose={close} />
      )}
      {shown?.kind === 'subjects' && <StudentSubjectsDialog classId={classId} student={shown.student} onClose={close} />}
      {shown?.kind === 'unenrol' && (
        <ConfirmDialog
          title={t('unenrolTitle', { name: nameOf(shown.student), class: className })}
          text={t('unenrolText')}
          action={t('unenrol')}
          onConfirm={() => unenrol.mutateAsync({ params: { id: classId, studentId: shown.student.id } })}
          onClose={close}
        />
      )}
    </Card>
  )
}

type Taken = ReturnType<typeof subjectsByStudentId<{ id: string; name: string }>>

function useTaken(classId: string): Taken | undefined {
  const given = useQuery(askWhole('classes', 'subjectsTaken', { params: { id: classId } }))
  const subjects = useQuery(ask('subjects', 'list'))
  return useMemo(() => given.data && subjects.data && subjectsByStudentId(given.data, subjects.data), [given.data, subjects.data])
}

/** What a pupil takes, in words; nothing while that is on its way. */
function useTakenOf(taken: Taken | undefined): (studentId: string) => string {
  const { t } = useTranslation('classes')
  return (studentId) => {
    const own = taken?.get(studentId)
    return !taken ? '' : own ? own.map(({ name }) => name).join(', ') : t('takesAll')
  }
}

type StudentsProps = {
  students: readonly Enrolled[]
  takenOf: (studentId: string) => string
  mayChange: boolean
  onShow: (shown: Shown) => void
}

function Students({ students, takenOf, mayChange, onShow }: StudentsProps) {
  const { t } = useTranslation('classes')
  return (
    <Table label={t('students')}>
      <thead>
        <tr>
          <th scope="col">{t('student')}</th>
          <th scope="col">{t('number')}</th>
          <th scope="col">{t('takes')}</th>
          {mayChange && (
            <th scope="col">
              <span className="hidden">{t('changes')}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {students.map((student) => (
          <tr key={student.id}>
            <th scope="row">
              <Link to="/students/$studentId" params={{ studentId: student.id }}>
                {listedName(student)}
              </Link>
            </th>
            <td>{student.student_number}</td>
            <td>{takenOf(student.id)}</td>
            {mayChange && (
              <td className={styles['ways']}>
                <Button
                  size="small"
                  aria-label={t('subjectsOf', { name: nameOf(student) })}
                  onClick={() => onShow({ kind: 'subjects', student })}
                >
                  {t('chooseSubjects')}
                </Button>
                <Button
                  size="small"
                  look="quiet"
                  aria-label={t('unenrolOf', { name: nameOf(student) })}
                  onClick={() => onShow({ kind: 'unenrol', student })}
                >
                  {t('unenrol')}
                </Button>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </Table>
  )
}
