import type { BinItem } from '@markbook/shared/contract/bin'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { ConfirmButton } from '../../components/dialog.tsx'
import { Page } from '../../components/page.tsx'
import { AnswerTable } from '../../components/table.tsx'
import { enumerated, moment } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { termLabel } from '../../words/term-label.ts'
import { restore } from './restore.ts'

/** What was deleted and can be restored: everything for administrators, the assessments that they deleted for teachers. */
export function BinPage() {
  const { t } = useTranslation(['bin', 'app', 'records'])
  const profile = useProfile()
  const items = useQuery(ask('bin', 'list'))
  const called = ({ entity, name }: Pick<BinItem, 'entity' | 'name'> | BinItem['belongs_to'][number]) =>
    entity === 'term' ? termLabel(name) : name
  const ownersOf = ({ belongs_to }: BinItem) => belongs_to.map(called).join(' · ')
  return (
    <Page title={t('title')} lead={t(isAdmin(profile) ? 'lead' : 'leadTeacher')}>
      <AnswerTable
        of={items}
        empty={t('empty')}
        label={t('title')}
        rowName={1}
        columns={[
          { head: t('kind'), cell: ({ entity }) => t(`records:entity.${entity}`) },
          { head: t('name'), cell: called },
          { head: t('of'), cell: ownersOf },
          { head: t('with'), cell: (item) => <Figures item={item} /> },
          { head: t('by'), cell: ({ actor }) => (actor ? nameOf(actor) : '') },
          { head: t('at'), cell: ({ deleted_at }) => moment(deleted_at) },
          { head: t('until'), cell: ({ restorable_until }) => moment(restorable_until) },
          { head: t('restore'), look: 'hidden', cell: (item) => <Restore item={item} name={called(item)} owners={ownersOf(item)} /> },
        ]}
      />
    </Page>
  )
}

const FIGURES = ['marks', 'assessments', 'enrolments', 'assignments', 'report_books', 'set_places', 'set_teachers'] as const

/** What is restored together with an item. */
function Figures({ item }: { item: BinItem }) {
  const { t } = useTranslation('bin')
  const counted = FIGURES.filter((figure) => item[figure] > 0)
  return enumerated(counted.map((figure) => t(`figure.${figure}`, { count: item[figure] })))
}

function Restore({ item: { id }, name, owners }: { item: BinItem; name: string; owners: string }) {
  const { t } = useTranslation('bin')
  // Several assessments may have the same title.
  const full = owners ? t('nameOf', { name, owners }) : name
  return (
    <ConfirmButton
      size="small"
      aria-label={t('restoreNamed', { name: full })}
      title={t('ask', { name: full })}
      text={t('askText')}
      action={t('restore')}
      danger={false}
      onConfirm={() => restore(id, name)}
    >
      {t('restore')}
    </ConfirmButton>
  )
}
