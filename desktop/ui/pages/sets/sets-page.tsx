import type { ListedTeachingSet } from '@markbook/shared/contract/teaching-sets'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import Plus from 'lucide-react/icons/plus'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { DialogButton } from '../../components/dialog.tsx'
import { Empty, Loading, Page } from '../../components/page.tsx'
import { AnswerTable } from '../../components/table.tsx'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { number } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { PupilsDialog, SetDialog } from './set-dialogs.tsx'

/** `/sets`: the teaching sets of the chosen year; a teacher's own, or all for administrators. */
export function SetsPage() {
  const { t } = useTranslation('sets')
  const { year, isLoading } = useChosenTerm()
  const mayChange = isAdmin(useProfile())
  if (isLoading) return <Loading />
  if (!year)
    return (
      <Page title={t('title')}>
        <Empty>{t('noYear')}</Empty>
      </Page>
    )
  const addition = mayChange && (
    <DialogButton look="primary" icon={Plus} dialog={<SetDialog yearId={year.id} set={null} />}>
      {t('add')}
    </DialogButton>
  )
  return (
    <Page title={t('title')} lead={t('lead', { year: year.name })} actions={addition}>
      <Sets yearId={year.id} mayChange={mayChange} />
    </Page>
  )
}

function Sets({ yearId, mayChange }: { yearId: string; mayChange: boolean }) {
  const { t } = useTranslation('sets')
  const sets = useQuery(ask('teachingSets', 'list', { query: { academicYearId: yearId } }))
  return (
    <AnswerTable
      of={sets}
      empty={t(mayChange ? 'empty' : 'emptyOwn')}
      label={t('title')}
      columns={[
        {
          head: t('name'),
          cell: (set) => (
            <Link to="/sets/$setId" params={{ setId: set.id }}>
              {set.name}
            </Link>
          ),
        },
        { head: t('subject'), cell: ({ subject }) => subject.name },
        { head: t('teachers'), cell: ({ teachers }) => teachers.map(nameOf).join(', ') || t('nobody') },
        { head: t('pupils'), look: 'number', cell: ({ students }) => number(students) },
        { head: t('changes'), look: 'hidden', cell: (set) => <Ways set={set} mayChange={mayChange} /> },
      ]}
    />
  )
}

function Ways({ set, mayChange }: { set: ListedTeachingSet; mayChange: boolean }) {
  const { t } = useTranslation('sets')
  return (
    <>
      <Link to="/marks/sets/$setId" params={{ setId: set.id }} aria-label={t('marksOf', { name: set.name })}>
        {t('marks')}
      </Link>{' '}
      {mayChange && (
        <>
          <DialogButton size="small" aria-label={t('choosePupilsOf', { name: set.name })} dialog={<PupilsDialog set={set} />}>
            {t('choosePupils')}
          </DialogButton>{' '}
          <DialogButton
            size="small"
            look="quiet"
            aria-label={t('changeOf', { name: set.name })}
            dialog={<SetDialog yearId={set.academic_year_id} set={set} />}
          >
            {t('change')}
          </DialogButton>
        </>
      )}
    </>
  )
}
