import type { Student } from '@markbook/shared/contract/students'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { askWhole } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { Row, SelectField, TextField } from '../../components/field.tsx'
import { Answer, Badge, Page, Table } from '../../components/page.tsx'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { day } from '../../words/format.ts'
import { listedName } from '../../words/names.ts'
import { usePlaces } from '../classes/use-places.ts'
import { ImportStudents } from './import/import-students.tsx'
import { StudentDialog } from './student-dialog.tsx'

/** As many rows as a table holds without slowing down; the search finds the others. */
const SHOWN = 300

export function StudentsPage() {
  const { t } = useTranslation('students')
  const { search = '', shown } = useSearch({ from: '/school/students' })
  const navigate = useNavigate()
  const profile = useProfile()
  const [open, setOpen] = useState<'add' | 'import' | null>(null)
  const query = {
    ...(search.trim() && { search: search.trim() }),
    ...(shown !== 'everybody' && { isActive: shown === 'inactive' ? ('false' as const) : ('true' as const) }),
  }
  const students = useQuery({ ...askWhole('students', 'list', { query }), placeholderData: keepPreviousData })
  const look = (change: { search?: string; shown?: 'inactive' | 'everybody' }) =>
    void navigate({ to: '/students', search: change, replace: true })
  const actions = (
    <>
      {isAdmin(profile) && <Button onClick={() => setOpen('import')}>{t('import')}</Button>}
      <Button look="primary" onClick={() => setOpen('add')}>
        {t('add')}
      </Button>
    </>
  )
  return (
    <Page title={t('title')} lead={t('lead')} actions={actions}>
      <Row>
        <TextField
          label={t('search')}
          type="search"
          value={search}
          maxLength={200}
          onChange={({ target }) => look({ search: target.value, ...(shown && { shown }) })}
        />
        <SelectField
          label={t('shown')}
          value={shown ?? ''}
          onChange={({ target }) => look({ search, ...(target.value && { shown: target.value as 'inactive' }) })}
        >
          <option value="">{t('active')}</option>
          <option value="inactive">{t('inactive')}</option>
          <option value="everybody">{t('everybody')}</option>
        </SelectField>
      </Row>
      <Answer of={students} empty={search ? t('empty') : t('none')}>
        {(list) => <List students={list} />}
      </Answer>
      {open === 'add' && <StudentDialog student={null} onClose={() => setOpen(null)} />}
      {open === 'import' && <ImportStudents onClose={() => setOpen(null)} />}
    </Page>
  )
}

function ClassOf({ group }: { group: { id: string; name: string } | undefined }) {
  return (
    group && (
      <Link to="/classes/$classId" params={{ classId: group.id }}>
        {group.name}
      </Link>
    )
  )
}

function List({ students }: { students: readonly Student[] }) {
  const { t } = useTranslation('students')
  const profile = useProfile()
  const places = usePlaces(useChosenTerm().year?.id)
  return (
    <>
      <Table label={t('title')}>
        <thead>
          <tr>
            <th scope="col">{t('name')}</th>
            <th scope="col">{isAdmin(profile) ? t('class') : t('ownClass')}</th>
            <th scope="col">{t('number')}</th>
            <th scope="col">{t('born')}</th>
            <th scope="col">{t('gender')}</th>
          </tr>
        </thead>
        <tbody>
          {students.slice(0, SHOWN).map((student) => (
            <tr key={student.id}>
              <th scope="row">
                <Link to="/students/$studentId" params={{ studentId: student.id }}>
                  {listedName(student)}
                </Link>{' '}
                {!student.is_active && <Badge>{t('left')}</Badge>}
              </th>
              <td>
                <ClassOf group={places?.classByStudentId.get(student.id)} />
              </td>
              <td>{student.student_number}</td>
              <td>{student.date_of_birth && day(student.date_of_birth)}</td>
              <td>{t(student.gender)}</td>
            </tr>
          ))}
        </tbody>
      </Table>
      {students.length > SHOWN && <p>{t('more', { count: students.length - SHOWN })}</p>}
    </>
  )
}
