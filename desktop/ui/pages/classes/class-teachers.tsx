import type { ClassTeacher } from '@markbook/shared/contract/classes'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog, FormDialog } from '../../components/dialog.tsx'
import { CheckList, Options, SelectField } from '../../components/field.tsx'
import { Answer, Badge, Card } from '../../components/page.tsx'
import { Table } from '../../components/table.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { nameOf } from '../../words/names.ts'

type OpenDialog = { kind: 'add' | 'handOver' } | { kind: 'change' | 'remove'; teacher: ClassTeacher }

const teacherName = ({ firstName, lastName }: Pick<ClassTeacher, 'firstName' | 'lastName'>) =>
  [firstName, lastName].filter(Boolean).join(' ') || '…'

export function ClassTeachers({ classId, className, mayChange }: { classId: string; className: string; mayChange: boolean }) {
  const { t } = useTranslation('classes')
  const teachers = useQuery(ask('classes', 'teachers', { params: { classId } }))
  const remove = useSave('classes', 'removeTeacher')
  const [shown, setShown] = useState<OpenDialog | null>(null)
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

type TeachersProps = { teachers: readonly ClassTeacher[]; mayChange: boolean; onShow: (shown: OpenDialog) => void }

function Teachers({ teachers, mayChange, onShow }: TeachersProps) {
  const { t } = useTranslation(['classes', 'app'])
  return (
    <Table
      label={t('teachers')}
      rows={teachers}
      keyOf={({ teacherId }) => teacherId}
      columns={[
        {
          head: t('teacher'),
          cell: (teacher) => (
            <>
              {teacherName(teacher)} {teacher.isClassTeacher && <Badge tone="good">{t('classTeacher')}</Badge>}
            </>
          ),
        },
        { head: t('teaches'), cell: ({ subjects }) => subjects.map(({ name }) => name).join(', ') || t('nothing') },
        mayChange && {
          head: t('app:action.edit'),
          look: 'hidden',
          cell: (teacher) => (
            <>
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
            </>
          ),
        },
      ]}
    />
  )
}

type Props = { classId: string; teacher: ClassTeacher | null; known: readonly ClassTeacher[]; onClose: () => void }

/** Adds a teacher to the class (`teacher` is null), or changes what one teaches in it. */
function TeacherDialog({ classId, teacher, known, onClose }: Props) {
  const { t } = useTranslation(['classes', 'app'])
  const subjects = useQuery(ask('subjects', 'list'))
  const staff = useQuery(ask('classes', 'schoolTeachers'))
  const save = useSave('classes', 'addTeacher')
  const free = (staff.data ?? []).filter(({ id }) => known.every(({ teacherId }) => teacherId !== id))
  const [teacherId, setTeacherId] = useState(teacher?.teacherId ?? '')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(teacher?.subjects.map(({ id }) => id)))
  const chosenId = teacherId || free[0]?.id
  const send = async () => {
    if (!chosenId) return
    await save.mutateAsync({ params: { classId }, body: { teacherId: chosenId, subjectIds: [...chosen] } })
    onClose()
  }
  const title = teacher
    ? t('teacherTitle', { name: nameOf({ first_name: teacher.firstName, last_name: teacher.lastName }) })
    : t('addTeacher')
  return (
    <FormDialog title={title} failure={save.error} busy={save.isPending} disabled={!chosenId} onSave={send} onClose={onClose}>
      {!teacher && (
        <SelectField label={t('whichTeacher')} value={chosenId ?? ''} onChange={({ target }) => setTeacherId(target.value)}>
          <Options of={free.map((person) => ({ id: person.id, name: nameOf(person) }))} />
        </SelectField>
      )}
      <CheckList
        label={t('teaches')}
        choices={(subjects.data ?? []).filter(({ id, is_active }) => is_active || chosen.has(id))}
        chosen={chosen}
        onChange={setChosen}
      />
    </FormDialog>
  )
}

/** Hands the class over to another class teacher. */
function HandOver({ classId, className, onClose }: { classId: string; className: string; onClose: () => void }) {
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
    <FormDialog
      title={t('handOverTitle', { name: className })}
      lead={t('handOverLead')}
      failure={handOver.error}
      busy={handOver.isPending}
      disabled={!teacherId}
      action={t('handOver')}
      onSave={send}
      onClose={onClose}
    >
      <SelectField label={t('handOverTo')} value={teacherId} onChange={({ target }) => setTeacherId(target.value)}>
        <option value="">{t('app:action.choose')}</option>
        <Options of={(staff.data ?? []).map((person) => ({ id: person.id, name: nameOf(person) }))} />
      </SelectField>
    </FormDialog>
  )
}
