import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import type { Term } from '@markbook/shared/contract/terms'
import { isSameYear } from '@markbook/shared/domain/same-year'
import { limits } from '@markbook/shared/limits'
import { useQuery } from '@tanstack/react-query'
import Plus from 'lucide-react/icons/plus'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, queryClient, save } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { ButtonLink } from '../../components/button-link.tsx'
import { ConfirmDialog, DialogButton } from '../../components/dialog.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Badge, Card, Notice, Page } from '../../components/page.tsx'
import { AnswerTable } from '../../components/table.tsx'
import { saveWithUndo } from '../../components/with-undo.ts'
import { day, enumerated, number } from '../../words/format.ts'
import { termLabel } from '../../words/term-label.ts'
import { type Structure, structures, termsInParts } from './next-terms.ts'
import { useStructureNames } from './term-rows.tsx'
import { setActive, TermDialog, YearDialog } from './year-dialogs.tsx'
import styles from './years.module.css'

export function YearsPage() {
  const { t } = useTranslation('years')
  const years = useQuery(ask('academicYears', 'list'))
  const addition = (
    // The dialog needs the earlier years for its proposal.
    <DialogButton look="primary" icon={Plus} disabled={!years.data} dialog={<YearDialog year={null} />}>
      {t('add')}
    </DialogButton>
  )
  return (
    <Page title={t('title')} lead={t('lead')} actions={addition}>
      <Answer of={years} empty={t('empty')}>
        {(list) => list.map((year) => <Year key={year.id} year={year} years={list} />)}
      </Answer>
    </Page>
  )
}

function Year({ year, years }: { year: AcademicYear; years: readonly AcademicYear[] }) {
  const { t } = useTranslation(['years', 'app'])
  const { id, name } = year
  /** Whether there is no earlier year whose classes could be carried over. */
  const isFirst = years.every(({ start_date }) => start_date >= year.start_date)
  const isAlike = years.some((other) => other.id !== id && isSameYear(other, year))
  // In state, because the year changes before the dialog closes.
  const [asked, setAsked] = useState<'activate' | 'deactivate' | null>(null)
  const change = async (isActive: boolean) => {
    const former = years.find((other) => other.is_active && other.id !== id)
    await saveWithUndo({
      said: t(isActive ? 'activated' : 'deactivated', { name }),
      run: () => setActive(id, isActive),
      back: () => (isActive && former ? setActive(former.id, true) : setActive(id, !isActive)),
    })
  }
  const actions = (
    <>
      <Button onClick={() => setAsked(year.is_active ? 'deactivate' : 'activate')}>{t(year.is_active ? 'deactivate' : 'activate')}</Button>
      {!isFirst && (
        <ButtonLink className={styles['set'] ?? ''} to="/years/$yearId/roll-over" params={{ yearId: year.id }}>
          {t('rollOver')}
        </ButtonLink>
      )}
      <ButtonLink to="/years/$yearId/categories" params={{ yearId: year.id }}>
        {t('category.open')}
      </ButtonLink>
      <DialogButton aria-label={t('changeYear', { name })} dialog={<YearDialog year={year} />}>
        {t('app:action.edit')}
      </DialogButton>
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
      {isAlike && <Notice tone="warn">{t('alike', { name })}</Notice>}
      <Terms year={year} />
      {asked && (
        <ConfirmDialog
          danger={asked === 'deactivate'}
          title={t(`${asked}Title`, { name })}
          text={t(`${asked}Text`)}
          action={t(asked)}
          onConfirm={() => change(asked === 'activate')}
          onClose={() => setAsked(null)}
        />
      )}
    </Card>
  )
}

/** The terms of one year. */
function Terms({ year }: { year: AcademicYear }) {
  const { t } = useTranslation(['years', 'app'])
  const terms = useQuery(ask('terms', 'list', { query: { yearId: year.id } }))
  return (
    <>
      <AnswerTable
        of={terms}
        empty={t('noTerms')}
        label={`${t('terms')} ${year.name}`}
        columns={[
          {
            head: t('term'),
            cell: (term) => (
              <>
                <DialogButton
                  look="quiet"
                  aria-label={t('changeTerm', { name: termLabel(term.name) })}
                  dialog={<TermDialog year={year} term={term} terms={terms.data ?? []} />}
                >
                  {termLabel(term.name)}
                </DialogButton>{' '}
                {term.is_ministry_reporting && <Badge>{t('ministryBadge')}</Badge>}
              </>
            ),
          },
          { head: t('start'), cell: ({ start_date }) => day(start_date) },
          { head: t('end'), cell: ({ end_date }) => day(end_date) },
          {
            head: t('calculation'),
            cell: ({ exam_weight, coursework_weight }) =>
              t('weights', { exam: number(exam_weight), coursework: number(coursework_weight) }),
          },
        ]}
      />
      {terms.data && terms.data.length < limits.termsPerYear && (
        <div className={layout['row']}>
          <DialogButton dialog={<TermDialog year={year} term={null} terms={terms.data} />}>{t('addTerm')}</DialogButton>
          {terms.data.length === 0 && <span className={layout['note']}>{t('sets.lead')}</span>}
          {terms.data.length === 0 &&
            (Object.keys(structures) as Structure[]).map((set) => <StartingSet key={set} year={year} set={set} />)}
        </div>
      )}
    </>
  )
}

/** A button that adds all terms of a structure in equal parts, for a year without terms. */
function StartingSet({ year, set }: { year: AcademicYear; set: Structure }) {
  const { t } = useTranslation('years')
  const names = useStructureNames()(set)
  const list = enumerated(names.map(termLabel))
  /** Adds all of them, or none. */
  const addAll = async () => {
    const terms = termsInParts(year, names).map(({ key: _, ...term }) => term)
    await save('academicYears', 'rollOver', { params: { id: year.id }, query: { dryRun: 'false' }, body: { classes: [], terms } }, [
      'terms',
    ])
    const all = await queryClient.fetchQuery(ask('terms', 'list', { query: { yearId: year.id } }))
    return all.filter(({ name }) => names.includes(name))
  }
  const removeAll = (made: readonly Term[]) => save('terms', 'removeBulk', { body: { termIds: made.map(({ id }) => id) } })
  return (
    <DialogButton
      size="small"
      className={styles['set'] ?? ''}
      dialog={
        <ConfirmDialog
          title={t('sets.title', { names: list, year: year.name })}
          text={t('sets.text')}
          action={t('sets.action')}
          danger={false}
          onConfirm={() => saveWithUndo({ said: t('sets.added', { names: list, year: year.name }), run: addAll, back: removeAll })}
        />
      }
    >
      {list}
    </DialogButton>
  )
}
