import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { CheckList } from '../../components/check-list.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions, Form, TextField } from '../../components/field.tsx'
import { Answer, Badge, Empty, FailureNotice, Loading, numberCell, Page, Table } from '../../components/page.tsx'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { issueOf } from '../../words/failure.ts'
import { number } from '../../words/format.ts'
import { usePlaces } from './use-places.ts'

export function ClassesPage() {
  const { t } = useTranslation('classes')
  const { year, isLoading } = useChosenTerm()
  const [isAdding, setAdding] = useState(false)
  if (isLoading) return <Loading />
  if (!year) {
    return (
      <Page title={t('title')}>
        <Empty>{t('noYear')}</Empty>
      </Page>
    )
  }
  const addition = (
    <Button look="primary" onClick={() => setAdding(true)}>
      {t('add')}
    </Button>
  )
  return (
    <Page title={t('title')} lead={t('lead', { year: year.name })} actions={addition}>
      <List yearId={year.id} />
      {isAdding && <NewClass yearId={year.id} onClose={() => setAdding(false)} />}
    </Page>
  )
}

function List({ yearId }: { yearId: string }) {
  const { t } = useTranslation('classes')
  const places = usePlaces(yearId)
  const classes = useQuery(ask('classes', 'list', { query: { academicYearId: yearId } }))
  return (
    <Answer of={classes} empty={t('empty')}>
      {(list) => (
        <Table label={t('title')}>
          <thead>
            <tr>
              <th scope="col">{t('name')}</th>
              <th scope="col" className={numberCell}>
                {t('pupilCount')}
              </th>
              <th scope="col">
                <span className="hidden">{t('toMarks')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {list.map(({ id, name, isClassTeacher }) => (
              <tr key={id}>
                <th scope="row">
                  <Link to="/classes/$classId" params={{ classId: id }}>
                    {name}
                  </Link>{' '}
                  {isClassTeacher && <Badge tone="good">{t('own')}</Badge>}
                </th>
                <td className={numberCell}>{places && number(places.countByClassId.get(id) ?? 0)}</td>
                <td>
                  <ClassLinks classId={id} />
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Answer>
  )
}

/** From a class to what is done with it. */
export function ClassLinks({ classId }: { classId: string }) {
  const { t } = useTranslation('classes')
  return (
    <>
      <Link to="/marks" search={{ classId }}>
        {t('toMarks')}
      </Link>
      {' · '}
      <Link to="/results/$classId" params={{ classId }}>
        {t('toResults')}
      </Link>
      {' · '}
      <Link to="/reports/$classId" params={{ classId }}>
        {t('toReports')}
      </Link>
    </>
  )
}

function NewClass({ yearId, onClose }: { yearId: string; onClose: () => void }) {
  const { t } = useTranslation(['classes', 'app'])
  const navigate = useNavigate()
  const subjects = useQuery(ask('subjects', 'list'))
  const create = useSave('classes', 'create')
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const save = async () => {
    const made = await create.mutateAsync({ body: { name: name.trim(), academicYearId: yearId, subjectIds: [...chosen] } })
    await navigate({ to: '/classes/$classId', params: { classId: made.id } })
  }
  return (
    <Dialog open title={t('add')} onClose={onClose}>
      <Form onSend={() => void save().catch(() => null)}>
        <FailureNotice failure={create.error} />
        <TextField
          label={t('name')}
          hint={t('nameHint')}
          value={name}
          maxLength={200}
          error={issueOf(create.error, 'name')}
          onChange={({ target }) => setName(target.value)}
        />
        <CheckList
          label={t('subjects')}
          choices={(subjects.data ?? []).filter(({ is_active }) => is_active)}
          chosen={chosen}
          onChange={setChosen}
        />
        <Actions>
          <Button onClick={onClose}>{t('app:action.cancel')}</Button>
          <Button type="submit" look="primary" busy={create.isPending} busyWord={t('app:state.saving')}>
            {t('app:action.save')}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  )
}
