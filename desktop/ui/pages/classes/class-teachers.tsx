import type { ClassTeacher } from '@markbook/shared/contract/classes'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Answer, Badge, Card, Table } from '../../components/page.tsx'
import { HandOver, TeacherDialog } from './teacher-dialogs.tsx'

type Shown = { kind: 'add' | 'handOver' } | { kind: 'change' | 'remove'; teacher: ClassTeacher }

export const teacherName = ({ firstName, lastName }: Pick<ClassTeacher, 'firstName' | 'lastName'>) =>
  [firstName, lastName].filter(Boolean).join(' ') || '…'

export function ClassTeachers({ classId, className, mayChange }: { classId: string; className: string; mayChange: boolean }) {
  const { t } = useTranslation('classes')
  const teachers = useQuery(ask('classes', 'teachers', { params: { classId } }))
  const remove = useSave('classes', 'removeTeacher')
  const [shown, setShown] = useState<Shown | null>(null)
  const close = () => setShown(null)
  const actions = mayChange && (
    <>
      <Button onClick={() => setShown({ kind: 'handOver' })}>{t('handOver')}</Button>
      <Button look="primary" onClick={() => setShown({ kind: 'add' })}>
        {t('addTeacher')}
      </Button>
    </>
  )
  return (
    <Card title={t('teachers')} actions={actions}>
      <Answer of={teachers}>{(list) => <Teachers teachers={list} mayChange={mayChange} onShow={setShown} />}</Answer>
      {shown?.kind === 'handOver' && <HandOver classId={classId} className={className} onClose={close} />}
      {shown?.kind === 'add' && <TeacherDialog classId={classId} teacher={null} known={teachers.data ?? []} onClose={close} />}
      {shown?.kind === 'change' && <TeacherDialog classId={classId} teacher={shown.teacher} known={teachers.data ?? []} onClose={close} />}
      {shown?.kind === 'remove' && (
        <ConfirmDialog
          title={t('removeTeacherTitle', { name: teacherName(shown.teacher), class: className })}
          text={t('removeTeacherText')}
          action={t('removeTeacher')}
          onConfirm={() => remove.mutateAsync({ params: { classId, teacherId: shown.teacher.teacherId } })}
          onClose={close}
        />
      )}
    </Card>
  )
}

type TeachersProps = { teachers: readonly ClassTeacher[]; mayChange: boolean; onShow: (shown: Shown) => void }

function Teachers({ teachers, mayChange, onShow }: TeachersProps) {
  const { t } = useTranslation(['classes', 'app'])
  return (
    <Table label={t('teachers')}>
      <thead>
        <tr>
          <th scope="col">{t('teacher')}</th>
          <th scope="col">{t('teaches')}</th>
          {mayChange && (
            <th scope="col">
              <span className="hidden">{t('app:action.edit')}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {teachers.map((teacher) => (
          <tr key={teacher.teacherId}>
            <th scope="row">
              {teacherName(teacher)} {teacher.isClassTeacher && <Badge tone="good">{t('classTeacher')}</Badge>}
            </th>
            <td>{teacher.subjects.map(({ name }) => name).join(', ') || t('nothing')}</td>
            {mayChange && (
              <td>
                <Button
                  size="small"
                  aria-label={t('change', { name: teacherName(teacher) })}
                  onClick={() => onShow({ kind: 'change', teacher })}
                >
                  {t('app:action.edit')}
                </Button>{' '}
                {!teacher.isClassTeacher && (
                  <Button size="small" look="quiet" onClick={() => onShow({ kind: 'remove', teacher })}>
                    {t('removeTeacher')}
                    <span className="hidden"> {teacherName(teacher)}</span>
                  </Button>
                )}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </Table>
  )
}
