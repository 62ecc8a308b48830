import type { Student } from '@markbook/shared/contract/students'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import Plus from 'lucide-react/icons/plus'
import { useTranslation } from 'react-i18next'
import { askWhole } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { DialogButton } from '../../components/dialog.tsx'
import { Row, SelectField, TextField } from '../../components/field.tsx'
import { Answer, Badge, Page } from '../../components/page.tsx'
import { Table } from '../../components/table.tsx'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { NotCurrentYear } from '../../frame/other-year.tsx'
import { day } from '../../words/format.ts'
import { listedName } from '../../words/names.ts'
import { useClassMembership } from '../classes/use-class-membership.ts'
import { ImportStudents } from '../imports/import-students.tsx'
import { StudentDialog } from './student-dialog.tsx'

/** The largest number of rows shown; the search finds the others. */
const MAX_ROWS = 300

export function StudentsPage() {
  const { t } = useTranslation('students')
  const { search = '', shown } = useSearch({ from: '/school/students' })
  const navigate = useNavigate()
  const profile = useProfile()
  const { year } = useChosenTerm()
  const query = {
    ...(search.trim() && { search: search.trim() }),
    ...(shown !== 'everybody' && { isActive: shown === 'inactive' ? ('false' as const) : ('true' as const) }),
  }
  const students = useQuery({ ...askWhole('students', 'list', { query }), placeholderData: keepPreviousData })
  const changeSearch = (change: { search?: string; shown?: 'inactive' | 'everybody' }) =>
    void navigate({ to: '/students', search: change, replace: true })
  const actions = (
    <>
      {isAdmin(profile) && <DialogButton dialog={<ImportStudents />}>{t('import')}</DialogButton>}
      <DialogButton look="primary" icon={Plus} dialog={<StudentDialog student={null} />}>
        {t('add')}
      </DialogButton>
    </>
  )
  return (
    <Page title={t('title')} lead={t('lead')} actions={actions}>
      <NotCurrentYear yearId={year?.id} />
      <Row>
        <TextField
          label={t('search')}
          type="search"
          value={search}
          maxLength={200}
          onChange={({ target }) => changeSearch({ search: target.value, ...(shown && { shown }) })}
        />
        <SelectField
          label={t('shown')}
          value={shown ?? ''}
          onChange={({ target }) => changeSearch({ search, ...(target.value && { shown: target.value as 'inactive' }) })}
        >
          <option value="">{t('active')}</option>
          <option value="inactive">{t('inactive')}</option>
          <option value="everybody">{t('everybody')}</option>
        </SelectField>
      </Row>
      <Answer of={students} empty={search ? t('empty') : t('none')}>
        {(list) => <List students={list} />}
      </Answer>
    </Page>
  )
}

function List({ students }: { students: readonly Student[] }) {
  const { t } = useTranslation('students')
  const profile = useProfile()
  const membership = useClassMembership(useChosenTerm().year?.id)
  return (
    <>
      <Table
        label={t('title')}
        rows={students.slice(0, MAX_ROWS)}
        keyOf={({ id }) => id}
        columns={[
          {
            head: t('name'),
            cell: (student) => (
              <>
                <Link to="/students/$studentId" params={{ studentId: student.id }}>
                  {listedName(student)}
                </Link>{' '}
                {!student.is_active && <Badge>{t('left')}</Badge>}
              </>
            ),
          },
          {
            head: t(isAdmin(profile) ? 'class' : 'ownClass'),
            look: 'name',
            cell: ({ id }) => {
              const group = membership?.classByStudentId.get(id)
              return (
                group && (
                  <Link to="/classes/$classId" params={{ classId: group.id }}>
                    {group.name}
                  </Link>
                )
              )
            },
          },
          { head: t('number'), cell: ({ student_number }) => student_number },
          { head: t('born'), cell: ({ date_of_birth }) => date_of_birth && day(date_of_birth) },
          { head: t('gender'), cell: ({ gender }) => gender && t(gender) },
        ]}
      />
      {students.length > MAX_ROWS && <p>{t('more', { count: students.length - MAX_ROWS })}</p>}
    </>
  )
}
