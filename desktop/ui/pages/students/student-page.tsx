import type { StudentOverview } from '@markbook/shared/contract/calculations'
import type { Student } from '@markbook/shared/contract/students'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import Pencil from 'lucide-react/icons/pencil'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { ask, refresh, save } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { ButtonLink } from '../../components/button-link.tsx'
import { ConfirmDialog, DialogButton, InfoDialog } from '../../components/dialog.tsx'
import { Answer, Badge, Card, Facts, Page } from '../../components/page.tsx'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { NotCurrentYear } from '../../frame/other-year.tsx'
import { day } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { tellDeleted } from '../bin/restore.ts'
import { PupilTabs } from '../results/pupil-tabs.tsx'
import { StudentDialog } from './student-dialog.tsx'
import { Books, Classes, Missing, Results } from './student-overview.tsx'

export function StudentPage() {
  const { studentId } = useParams({ from: '/school/students/$studentId' })
  const overview = useQuery(ask('calculations', 'student', { params: { id: studentId } }))
  return <Answer of={overview}>{(known) => <Whole of={known} />}</Answer>
}

/** A pupil: personal data, past results, classes, report books and missing marks; the term and the year are on other tabs. */
function Whole({ of }: { of: StudentOverview }) {
  const { student, classes } = of
  const { year } = useChosenTerm()
  const group = classes.find(({ academic_year }) => academic_year.id === year?.id)
  const { t } = useTranslation(['students', 'app'])
  const profile = useProfile()
  const name = nameOf(student)
  const actions = (
    <>
      <DialogButton look="primary" icon={Pencil} dialog={<StudentDialog student={student} />}>
        {t('change')}
      </DialogButton>
      <ButtonLink to="/history" search={{ entity: 'student', id: student.id }}>
        {t('history')}
      </ButtonLink>
      {isAdmin(profile) && (
        <DialogButton look="danger" dialog={hasResults(of) ? <NoRemoval student={student} /> : <Removal student={student} />}>
          {t('app:action.delete')}
        </DialogButton>
      )}
    </>
  )
  const facts = [
    [t('studentNumber'), student.student_number],
    // Undefined for people who may not see them.
    ...(student.gender === null
      ? []
      : ([
          [t('gender'), t(student.gender)],
          [t('dateOfBirth'), student.date_of_birth && day(student.date_of_birth)],
        ] as const)),
    [t('enrollmentDate'), student.enrollment_date && day(student.enrollment_date)],
  ] as const
  return (
    <Page title={name} lead={student.is_active ? undefined : <Badge>{t('left')}</Badge>} actions={actions}>
      <NotCurrentYear yearId={year?.id} />
      {group && <PupilTabs shown="all" studentId={student.id} classId={group.id} />}
      <Card title={t('details', { name })}>
        <Facts of={facts.map(([word, value]) => [word, value ?? t('unknown')])} />
      </Card>
      <Missing of={of} />
      <Results of={of} />
      <Classes of={of} />
      <Books of={of} />
    </Page>
  )
}

/** Whether the pupil has marks or report books, as far as the page knows: the server refuses to delete them. */
const hasResults = ({ books, classes }: StudentOverview): boolean =>
  books.length > 0 ||
  classes.some(({ terms }) =>
    terms.some(({ result }) =>
      result?.subjects.some(({ coursework_average, exam_average }) => (coursework_average ?? exam_average) !== null),
    ),
  )

function NoRemoval({ student }: { student: Student }) {
  const { t } = useTranslation(['students', 'failures'])
  return (
    <InfoDialog title={t('cannotDelete', { name: nameOf(student) })} lead={t('failures:students_has_results')}>
      {null}
    </InfoDialog>
  )
}

function Removal({ student }: { student: Student }) {
  const { t } = useTranslation(['students', 'app'])
  const navigate = useNavigate()
  const name = nameOf(student)
  const confirm = async () => {
    await client.students.remove({ params: { id: student.id } })
    // Leave the page first: its queries would fail for a deleted pupil.
    await navigate({ to: '/students' })
    await refresh(['students', 'classes', 'history'])
    const again = () => save('students', 'remove', { params: { id: student.id } }, ['classes'])
    tellDeleted(t('deleted', { name }), 'student', { id: student.id, name, again })
  }
  return <ConfirmDialog title={t('delete', { name })} text={t('deleteText')} onConfirm={confirm} />
}
