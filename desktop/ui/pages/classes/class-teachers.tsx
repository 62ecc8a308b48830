import type { ClassTeacher } from '@markbook/shared/contract/classes'
import { useQuery } from '@tanstack/react-query'
import Plus from 'lucide-react/icons/plus'
import { useTranslation } from 'react-i18next'
import { ask, save } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { ConfirmButton, DialogButton, FormDialog } from '../../components/dialog.tsx'
import { Options, SelectField } from '../../components/field.tsx'
import { Answer, Badge, Card } from '../../components/page.tsx'
import { Table } from '../../components/table.tsx'
import { useForm } from '../../components/use-form.ts'
import { saveWithUndo } from '../../components/with-undo.ts'
import { nameOf } from '../../words/names.ts'
import { InvitedNotice } from './invited-notice.tsx'
import { SubjectList } from './subject-list.tsx'

const teacherName = ({ firstName, lastName }: ClassTeacher) => nameOf({ first_name: firstName, last_name: lastName })

type Props = { classId: string; className: string; mayChange: boolean }

export function ClassTeachers({ classId, className, mayChange }: Props) {
  const { t } = useTranslation(['classes', 'app'])
  const teachers = useQuery(ask('classes', 'teachers', { params: { classId } }))
  const actions = mayChange && (
    <>
      <DialogButton
        dialog={
          <HandOver classId={classId} className={className} from={teachers.data?.find(({ isClassTeacher }) => isClassTeacher)?.teacherId} />
        }
      >
        {t('handOver')}
      </DialogButton>
      <DialogButton look="primary" icon={Plus} dialog={<TeacherDialog classId={classId} teacher={null} known={teachers.data ?? []} />}>
        {t('addTeacher')}
      </DialogButton>
    </>
  )
  return (
    <Card title={t('teachers')} actions={actions}>
      <Answer of={teachers}>
        {(list) => (
          <Table
            label={t('teachers')}
            rows={list}
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
                    <DialogButton
                      size="small"
                      aria-label={t('change', { name: teacherName(teacher) })}
                      dialog={<TeacherDialog classId={classId} teacher={teacher} known={list} />}
                    >
                      {t('app:action.edit')}
                    </DialogButton>{' '}
                    {!teacher.isClassTeacher && (
                      <ConfirmButton
                        size="small"
                        look="quiet"
                        title={t('removeTeacherTitle', { name: teacherName(teacher), class: className })}
                        text={t('removeTeacherText')}
                        action={t('removeTeacher')}
                        onConfirm={() =>
                          saveWithUndo({
                            said: t('teacherRemoved', { name: teacherName(teacher), class: className }),
                            run: () => removeTeacher(classId, teacher.teacherId),
                            back: () => setTeacher(classId, teacher.teacherId, subjectIdsOf(teacher)),
                          })
                        }
                      >
                        {t('removeTeacher')}
                        <span className="hidden"> {teacherName(teacher)}</span>
                      </ConfirmButton>
                    )}
                  </>
                ),
              },
            ]}
          />
        )}
      </Answer>
    </Card>
  )
}

const setTeacher = (classId: string, teacherId: string, subjectIds: string[]) =>
  save('classes', 'addTeacher', { params: { classId }, body: { teacherId, subjectIds } })
const removeTeacher = (classId: string, teacherId: string) => save('classes', 'removeTeacher', { params: { classId, teacherId } })
const subjectIdsOf = ({ subjects }: ClassTeacher) => subjects.map(({ id }) => id)

type TeacherProps = { classId: string; teacher: ClassTeacher | null; known: readonly ClassTeacher[] }

/** Adds a teacher to the class (`teacher` null), or changes the subjects of one. */
function TeacherDialog({ classId, teacher, known }: TeacherProps) {
  const { t } = useTranslation(['classes', 'app'])
  const staff = useQuery(ask('classes', 'schoolTeachers'))
  const free = (staff.data ?? []).filter(({ id }) => known.every(({ teacherId }) => teacherId !== id))
  const idOf = (typed: { teacherId: string }) => typed.teacherId || (free[0]?.id ?? '')
  const form = useForm({
    initial: { teacherId: teacher?.teacherId ?? '', chosen: new Set(teacher?.subjects.map(({ id }) => id)) as ReadonlySet<string> },
    isValid: (typed) => idOf(typed) !== '',
    save: (typed) => {
      const id = idOf(typed)
      const added = staff.data?.find((person) => person.id === id)
      return saveWithUndo({
        said: t('teacherSaved', { name: teacher ? teacherName(teacher) : added ? nameOf(added) : '' }),
        run: () => setTeacher(classId, id, [...typed.chosen]),
        back: () => (teacher ? setTeacher(classId, id, subjectIdsOf(teacher)) : removeTeacher(classId, id)),
      })
    },
  })
  const { draft, set, field } = form
  const title = teacher ? t('teacherTitle', { name: teacherName(teacher) }) : t('addTeacher')
  return (
    <FormDialog title={title} form={form} disabled={!idOf(draft)}>
      {!teacher && (
        <>
          <SelectField label={t('whichTeacher')} {...field('teacherId')} value={idOf(draft)}>
            <Options of={free.map((person) => ({ id: person.id, name: nameOf(person) }))} />
          </SelectField>
          <InvitedNotice />
        </>
      )}
      <SubjectList label={t('teaches')} chosen={draft.chosen} onChange={(chosen) => set({ chosen })} />
    </FormDialog>
  )
}

type HandOverProps = { classId: string; className: string; from: string | undefined }

/** Makes another teacher the class teacher. A former class teacher cannot undo that: the class is the other's then. */
function HandOver({ classId, className, from }: HandOverProps) {
  const { t } = useTranslation(['classes', 'app'])
  const profile = useProfile()
  const staff = useQuery(ask('classes', 'schoolTeachers'))
  const form = useForm({
    initial: { teacherId: '' },
    isValid: ({ teacherId }) => teacherId !== '',
    save: async ({ teacherId }) => {
      const to = (id: string) => save('classes', 'handOver', { params: { classId }, body: { teacherId: id } })
      await saveWithUndo({ said: t('handedOver'), run: () => to(teacherId), back: from && isAdmin(profile) ? () => to(from) : null })
    },
  })
  return (
    <FormDialog
      title={t('handOverTitle', { name: className })}
      lead={t('handOverLead')}
      form={form}
      disabled={!form.draft.teacherId}
      action={t('handOver')}
    >
      <SelectField label={t('handOverTo')} {...form.field('teacherId')}>
        <option value="">{t('app:action.choose')}</option>
        <Options of={(staff.data ?? []).filter(({ id }) => id !== from).map((person) => ({ id: person.id, name: nameOf(person) }))} />
      </SelectField>
      <InvitedNotice />
    </FormDialog>
  )
}
