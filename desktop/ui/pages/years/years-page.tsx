import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { ButtonLink } from '../../components/button-link.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Answer, Badge, Card, Page } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { day } from '../../words/format.ts'
import { Terms } from './terms.tsx'
import { YearDialog } from './year-dialog.tsx'

export function YearsPage() {
  const { t } = useTranslation('years')
  const years = useQuery(ask('academicYears', 'list'))
  const [isAdding, setAdding] = useState(false)
  const addition = (
    <Button look="primary" onClick={() => setAdding(true)}>
      {t('add')}
    </Button>
  )
  return (
    <Page title={t('title')} lead={t('lead')} actions={addition}>
      <Answer of={years} empty={t('empty')}>
        {(list) => list.map((year) => <Year key={year.id} year={year} isOnly={list.length === 1} />)}
      </Answer>
      {isAdding && <YearDialog year={null} onClose={() => setAdding(false)} />}
    </Page>
  )
}

type Shown = 'change' | 'delete' | 'activate' | 'deactivate'

/** `isOnly`: there is no other year whose classes could be carried over. */
function Year({ year, isOnly }: { year: AcademicYear; isOnly: boolean }) {
  const { t } = useTranslation(['years', 'app'])
  const [shown, setShown] = useState<Shown | null>(null)
  const actions = (
    <>
      <Button onClick={() => setShown(year.is_active ? 'deactivate' : 'activate')}>{t(year.is_active ? 'deactivate' : 'activate')}</Button>
      {!isOnly && (
        <ButtonLink to="/years/$yearId/roll-over" params={{ yearId: year.id }}>
          {t('rollOver')}
        </ButtonLink>
      )}
      <Button aria-label={t('changeYear', { name: year.name })} onClick={() => setShown('change')}>
        {t('app:action.edit')}
      </Button>
    </>
  )
  return (
    <Card title={year.name} actions={actions}>
      <p>
        {year.is_active && <Badge tone="good">{t('active')}</Badge>} {t('days', { from: day(year.start_date), to: day(year.end_date) })}
        {' · '}
        {t('model')} {t(year.grading_model)}
        {year.grading_model === 'year_based' && ` (${t(year.calculation_model)})`}
      </p>
      <Terms year={year} />
      {shown === 'change' && <YearDialog year={year} onClose={() => setShown(null)} onDelete={() => setShown('delete')} />}
      {shown && shown !== 'change' && <Confirmation year={year} step={shown} onClose={() => setShown(null)} />}
    </Card>
  )
}

/** What changes the whole year asks first. */
function Confirmation({ year, step, onClose }: { year: AcademicYear; step: Exclude<Shown, 'change'>; onClose: () => void }) {
  const { t } = useTranslation(['years', 'app'])
  const { tell } = useToasts()
  const activate = useSave('academicYears', 'activate', ['terms', 'classes'])
  const deactivate = useSave('academicYears', 'deactivate', ['terms', 'classes'])
  const remove = useSave('academicYears', 'remove', ['terms', 'classes'])
  const { name } = year
  const asked = { params: { id: year.id } }
  if (step === 'activate') {
    const confirm = () => activate.mutateAsync(asked)
    return (
      <ConfirmDialog
        danger={false}
        title={t('activateTitle', { name })}
        text={t('activateText')}
        action={t('activate')}
        onConfirm={confirm}
        onClose={onClose}
      />
    )
  }
  if (step === 'deactivate') {
    const confirm = () => deactivate.mutateAsync(asked)
    return (
      <ConfirmDialog
        title={t('deactivateTitle', { name })}
        text={t('deactivateText')}
        action={t('deactivate')}
        onConfirm={confirm}
        onClose={onClose}
      />
    )
  }
  const confirm = async () => {
    await remove.mutateAsync(asked)
    tell(t('deleted', { name }))
  }
  return (
    <ConfirmDialog
      title={t('deleteYear', { name })}
      text={t('deleteYearText')}
      action={t('app:action.delete')}
      onConfirm={confirm}
      onClose={onClose}
    />
  )
}
