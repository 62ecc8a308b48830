import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { FormDialog } from '../../components/dialog.tsx'
import { CheckList, TextField } from '../../components/field.tsx'
import { Answer, Badge, Empty, Loading, Page } from '../../components/page.tsx'
import { Table } from '../../components/table.tsx'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { issueOf } from '../../words/failure.ts'
import { number } from '../../words/format.ts'
import { useClassMembership } from './use-class-membership.ts'

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
  const membership = useClassMembership(yearId)
  const classes = useQuery(ask('classes', 'list', { query: { academicYearId: yearId } }))
  return (
    <Answer of={classes} empty={t('empty')}>
      {(list) => (
        <Table
          label={t('title')}
          rows={list}
          keyOf={({ id }) => id}
          columns={[
            {
              head: t('name'),
              cell: ({ id, name, isClassTeacher }) => (
                <>
                  <Link to="/classes/$classId" params={{ classId: id }}>
                    {name}
                  </Link>{' '}
                  {isClassTeacher && <Badge tone="good">{t('own')}</Badge>}
                </>
              ),
            },
            { head: t('pupilCount'), look: 'number', cell: ({ id }) => membership && number(membership.countByClassId.get(id) ?? 0) },
            { head: t('toMarks'), look: 'hidden', cell: ({ id }) => <ClassLinks classId={id} /> },
          ]}
        />
      )}
    </Answer>
  )
}

/** Links to the pages of a class. */
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
    <FormDialog title={t('add')} failure={create.error} busy={create.isPending} onSave={save} onClose={onClose}>
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
    </FormDialog>
  )
}
