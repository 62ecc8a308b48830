import type { StudentName } from '@markbook/shared/contract/scalars'
import type { Student } from '@markbook/shared/contract/students'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import Plus from 'lucide-react/icons/plus'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { ask, askWhole, refresh, save } from '../../api/queries.ts'
import { ButtonLink } from '../../components/button-link.tsx'
import { ConfirmButton, DialogButton, FormDialog } from '../../components/dialog.tsx'
import { Checkbox, CheckList, Row, TextField } from '../../components/field.tsx'
import { Answer, Badge, Card, Empty, Loading, Notice } from '../../components/page.tsx'
import { AnswerTable } from '../../components/table.tsx'
import { useForm } from '../../components/use-form.ts'
import { saveWithUndo } from '../../components/with-undo.ts'
import { firstOf } from '../../words/format.ts'
import { listedName, nameOf } from '../../words/names.ts'
import styles from './classes.module.css'
import { assignmentOf, subjectsByStudentId } from './subject-assignment.ts'
import { SubjectList } from './subject-list.tsx'
import { useClassMembership } from './use-class-membership.ts'

type Props = { classId: string; className: string; yearId: string; mayChange: boolean }

export function ClassStudents({ classId, className, yearId, mayChange }: Props) {
  const { t } = useTranslation(['classes', 'students'])
  const students = useQuery(ask('classes', 'students', { params: { id: classId } }))
  const assigned = useQuery(askWhole('classes', 'subjectsTaken', { params: { id: classId } }))
  const subjects = useQuery(ask('subjects', 'list'))
  const taken = assigned.data && subjects.data && subjectsByStudentId(assigned.data, subjects.data)
  const takenOf = (studentId: string) => {
    const own = taken?.get(studentId)
    return own ? own.map(({ name }) => name).join(', ') : taken ? t('takesAll') : ''
  }
  const actions = mayChange && (
    <>
      <DialogButton dialog={<SubjectsForMany classId={classId} students={students.data ?? []} taken={taken} takenOf={takenOf} />}>
        {t('subjectsForMany')}
      </DialogButton>
      <DialogButton look="primary" icon={Plus} dialog={<EnrolDialog classId={classId} className={className} yearId={yearId} />}>
        {t('enrol')}
      </DialogButton>
    </>
  )
  const count = students.data?.length ?? 0
  return (
    <Card title={students.data ? t('studentCount', { count }) : t('students')} actions={actions}>
      <AnswerTable
        of={students}
        empty={t('noStudents')}
        label={t('students')}
        columns={[
          {
            head: t('student'),
            cell: (student) => (
              <>
                <Link to="/students/$studentId" params={{ studentId: student.id }}>
                  {listedName(student)}
                </Link>{' '}
                {!student.is_active && <Badge tone="warn">{t('students:left')}</Badge>}
              </>
            ),
          },
          { head: t('number'), cell: ({ student_number }) => student_number },
          { head: t('takes'), cell: ({ id }) => takenOf(id) },
          mayChange && {
            head: t('changes'),
            look: 'hidden',
            className: styles['ways'],
            cell: (student) => (
              <>
                <DialogButton
                  size="small"
                  aria-label={t('subjectsOf', { name: nameOf(student) })}
                  dialog={<StudentSubjectsDialog classId={classId} yearId={yearId} student={student} />}
                >
                  {t('chooseSubjects')}
                </DialogButton>
                <ConfirmButton
                  size="small"
                  look="quiet"
                  aria-label={t('unenrolOf', { name: nameOf(student) })}
                  title={t('unenrolTitle', { name: nameOf(student), class: className })}
                  text={t('unenrolText')}
                  action={t('unenrol')}
                  onConfirm={() =>
                    saveWithUndo({
                      said: t('unenrolled', { name: nameOf(student), class: className }),
                      run: () => unenrol(classId, student.id),
                      back: () => enrol(classId, [student.id]),
                    })
                  }
                />
              </>
            ),
          },
        ]}
      />
    </Card>
  )
}

const enrol = (classId: string, studentIds: string[]) =>
  save('classes', 'enrollBulk', { params: { id: classId }, body: { studentIds } }, ['students'])
const unenrol = (classId: string, studentId: string) => save('classes', 'unenroll', { params: { id: classId, studentId } }, ['students'])

/** Sets the subjects of a pupil. Adds before it removes: a pupil without an assigned subject would take every subject. */
async function setSubjects(classId: string, studentId: string, before: readonly string[], after: readonly string[]) {
  const added = after.filter((id) => !before.includes(id))
  if (added.length > 0) await save('classes', 'assignSubjects', { params: { id: classId }, body: { studentId, subjectIds: added } })
  for (const subjectId of before.filter((id) => !after.includes(id)))
    await save('classes', 'removeStudentSubject', { params: { id: classId, sid: studentId, subjectId } })
}

/** Enrols several active pupils who have no class in the year. A search keeps those that are checked. */
function EnrolDialog({ classId, className, yearId }: Omit<Props, 'mayChange'>) {
  const { t } = useTranslation(['classes', 'app'])
  const [typed, setTyped] = useState('')
  const search = useDeferredValue(typed.trim())
  const students = useQuery(askWhole('students', 'list', { query: { isActive: 'true', ...(search && { search }) } }))
  const membership = useClassMembership(yearId)
  const free = membership ? (students.data ?? []).filter(({ id }) => !membership.classByStudentId.has(id)) : []
  const isLoading = students.isLoading || membership === null
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const form = useForm({
    initial: {},
    isValid: () => chosen.size > 0,
    save: async () => {
      await saveWithUndo({
        said: (made) => t('enrolled', { count: made.length }),
        run: () => enrol(classId, [...chosen]),
        back: async (made) => {
          for (const { student_id } of made) await unenrol(classId, student_id)
        },
      })
    },
  })
  return (
    <FormDialog
      title={t('enrolTitle', { name: className })}
      lead={t('enrolLead')}
      form={form}
      disabled={chosen.size === 0}
      action={t('enrolChosen', { count: chosen.size })}
    >
      <TextField label={t('find')} type="search" value={typed} onChange={({ target }) => setTyped(target.value)} />
      {isLoading && <Loading />}
      {!isLoading && free.length === 0 && (
        <Empty>
          <p>{t(students.data?.length === 0 && !search ? 'noPupilsAtAll' : 'nobodyToEnrol')}</p>
          <ButtonLink to="/students">{t('toPupils')}</ButtonLink>
        </Empty>
      )}
      {free.length > 0 && (
        <CheckList
          label={t('students')}
          all={t('all')}
          choices={free.map((student) => ({
            id: student.id,
            name: [listedName(student), student.student_number].filter(Boolean).join(' · '),
          }))}
          chosen={chosen}
          onChange={setChosen}
        />
      )}
    </FormDialog>
  )
}

type StudentSubjectsProps = { classId: string; yearId: string; student: StudentName }

/**
 * The subjects that a pupil takes without assigned ones: those with an assessment for them in the year, and those taught in the class,
 * which may have one later. Undefined while loading.
 */
function useSubjectsOfClass({ classId, yearId, student }: StudentSubjectsProps) {
  const result = useQuery(ask('calculations', 'studentYear', { query: { studentId: student.id, academicYearId: yearId } }))
  const teachers = useQuery(ask('classes', 'teachers', { params: { classId } }))
  const ids =
    result.data &&
    teachers.data &&
    new Set([
      ...result.data.subjects.map(({ subject_id }) => subject_id),
      ...teachers.data.flatMap(({ subjects }) => subjects.map(({ id }) => id)),
    ])
  return { ids, failure: result.error ?? teachers.error }
}

/** The subjects of one pupil. None checked means every subject of the class (decisions §4). */
function StudentSubjectsDialog(props: StudentSubjectsProps) {
  const { classId, student } = props
  const { t } = useTranslation(['classes', 'app'])
  const own = useQuery(ask('classes', 'studentSubjects', { params: { id: classId, sid: student.id } }))
  const [changed, setChanged] = useState<ReadonlySet<string> | null>(null)
  const ofClass = useSubjectsOfClass(props)
  const before = own.data && new Set(own.data.map(({ id }) => id))
  const present = before?.size === 0 ? ofClass.ids : before
  const chosen = changed ?? present
  const form = useForm({
    initial: {},
    isValid: () => chosen !== undefined,
    save: async () => {
      const own = [...(before ?? [])]
      // Who took every subject and still does gets no assigned ones, and so takes also those that the class gets later.
      const isChanged = changed?.size !== present?.size || [...(changed ?? [])].some((id) => !present?.has(id))
      const wanted = changed && isChanged ? [...changed] : own
      await saveWithUndo({
        said: t('subjectsSaved', { name: nameOf(student) }),
        run: () => setSubjects(classId, student.id, own, wanted),
        back: () => setSubjects(classId, student.id, wanted, own),
      })
    },
  })
  return (
    <FormDialog
      title={t('subjectsOf', { name: nameOf(student) })}
      lead={t('subjectsLead')}
      form={{ ...form, failure: own.error ?? ofClass.failure ?? form.failure }}
    >
      {chosen ? <SubjectList label={t('subject')} chosen={chosen} onChange={setChanged} /> : <Loading />}
    </FormDialog>
  )
}

type SubjectsForManyProps = {
  classId: string
  students: readonly Student[]
  /** The present subjects of each pupil; undefined while they are loading. */
  taken: ReadonlyMap<string, readonly { id: string }[]> | undefined
  /** The subjects of a pupil as text. */
  takenOf: (studentId: string) => string
}

/** Assigns several subjects to several pupils of the class. No pupil loses a subject unless that is chosen. */
function SubjectsForMany({ classId, students, taken, takenOf }: SubjectsForManyProps) {
  const { t } = useTranslation(['classes', 'app'])
  const subjects = useQuery(ask('subjects', 'list'))
  const [subjectIds, setSubjectIds] = useState<ReadonlySet<string>>(new Set())
  const [studentIds, setStudentIds] = useState<ReadonlySet<string>>(new Set())
  const [isOnlyThese, setOnlyThese] = useState(false)
  const { everything, assigned: concerned } = assignmentOf(studentIds, taken ?? new Map(), isOnlyThese)
  const isReady = taken !== undefined && subjectIds.size > 0 && concerned.length > 0
  const chosen = (subjects.data ?? []).filter(({ id }) => subjectIds.has(id))
  const chosenNames = chosen.map(({ name }) => name).join(', ')
  const pupils = students.filter(({ id }) => everything.includes(id)).map(nameOf)
  const assign = async () => {
    // A repeated assignment has no effect, so that a retry continues where this one failed.
    for (const { id: subjectId } of chosen)
      await client.classes.assignSubjectBulk({ params: { id: classId }, body: { subjectId, studentIds: [...concerned] } })
  }
  /** Removes from each pupil the subjects that were added, for an undo. */
  const takeBack = async () => {
    for (const sid of concerned) {
      const own = taken?.get(sid)?.map(({ id }) => id) ?? []
      for (const { id: subjectId } of chosen)
        if (!own.includes(subjectId)) await client.classes.removeStudentSubject({ params: { id: classId, sid, subjectId } })
    }
  }
  const readAgain = () => refresh(['classes', 'calculations', 'history'])
  const form = useForm({
    initial: {},
    isValid: () => isReady,
    save: () =>
      saveWithUndo({
        said: t('given', { names: chosenNames, count: concerned.length }),
        run: () => assign().finally(readAgain),
        back: () => takeBack().finally(readAgain),
      }),
  })
  return (
    <FormDialog wide title={t('subjectsForMany')} lead={t('manyLead')} form={form} disabled={!isReady} action={t('giveChosen')}>
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
              <CheckList
                label={t('subjectsForManyWho')}
                all={t('all')}
                choices={students.map((student) => ({ id: student.id, name: listedName(student), about: takenOf(student.id) }))}
                chosen={studentIds}
                onChange={setStudentIds}
              />
            </div>
          </Row>
        )}
      </Answer>
      {taken && subjectIds.size > 0 && everything.length > 0 && (
        <>
          <Notice tone={isOnlyThese ? 'warn' : 'info'}>
            {t(isOnlyThese ? 'onlyTheseWarning' : 'takeAllAlready', {
              count: everything.length,
              pupils: firstOf(pupils, 6),
              subjects: chosenNames,
            })}
          </Notice>
          <Checkbox label={t('onlyThese')} checked={isOnlyThese} onChange={({ target }) => setOnlyThese(target.checked)} />
        </>
      )}
    </FormDialog>
  )
}
