import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Page } from '../../components/page.tsx'
import type { ChosenTerm } from '../../frame/chosen-term.ts'
import { ClassSwitch, type ListedClass, OfClass, useOwnsClass } from '../results/class-choice.tsx'
import { ViewTabs } from '../results/view-tabs.tsx'
import { BooksView } from './books-view.tsx'
import { CheckView } from './check-view.tsx'
import { FillView } from './fill-view.tsx'
import styles from './reports.module.css'
import { type BooksType, type BookView, bookViews } from './searches.ts'
import type { OfBooks } from './use-books.ts'
import { useBooksSearch } from './use-books-search.ts'

const route = getRouteApi('/school/reports/$classId')

export function BooksPage() {
  const { t } = useTranslation('reports')
  const { classId } = route.useParams()
  return (
    <OfClass key={classId} area="reports" classId={classId} title={t('title')}>
      {(here) => <ClassBooks {...here} />}
    </OfClass>
  )
}

function ClassBooks({ chosen, group, classes }: { chosen: ChosenTerm; group: ListedClass; classes: readonly ListedClass[] }) {
  const { t } = useTranslation(['reports', 'app'])
  const navigate = useNavigate()
  const { search, change } = useBooksSearch()
  const owns = useOwnsClass(group)
  const isYearBased = chosen.year?.grading_model === 'year_based'
  const type: BooksType = isYearBased && search.type === 'year_end' ? 'year_end' : 'term'
  const view: BookView = owns ? (search.view ?? 'books') : 'fill'
  const of: OfBooks = { classId: group.id, termId: chosen.term?.id ?? '', type }
  const term = chosen.term ? t(`app:term.${chosen.term.name}`) : ''
  const choose = (classId: string) =>
    void navigate({ to: '/reports/$classId', params: { classId }, search: { type: search.type, view: search.view } })
  const actions = (
    <>
      {isYearBased && (
        <TypeChoice
          type={type}
          onChoose={(next) => change(({ view: same }) => ({ view: same, ...(next === 'year_end' && { type: next }) }))}
        />
      )}
      <ClassSwitch classes={classes} classId={group.id} onChoose={choose} />
    </>
  )
  const key = `${of.termId} ${of.type}`
  const lead = t(type === 'term' ? 'lead.term' : 'lead.yearEnd', { name: group.name, term, year: chosen.year?.name ?? '' })
  return (
    <Page wide title={t('titleOf', { name: group.name })} lead={owns ? lead : t('lead.subject', { name: group.name })} actions={actions}>
      {owns && <BookTabs shown={view} />}
      {view === 'books' && <BooksView key={key} of={of} group={group} chosen={chosen} />}
      {view === 'fill' && <FillView key={key} of={of} chosen={chosen} owns={owns} />}
      {view === 'check' && <CheckView key={key} of={of} chosen={chosen} />}
    </Page>
  )
}

function BookTabs({ shown }: { shown: BookView }) {
  const { t } = useTranslation('reports')
  const {
    classId,
    search: { type, job },
  } = useBooksSearch()
  return (
    <ViewTabs label={t('views.label')}>
      {bookViews.map((view) => (
        <Link
          key={view}
          to="/reports/$classId"
          params={{ classId }}
          search={{ type, job, ...(view !== 'books' && { view }) }}
          activeOptions={{ exact: true, includeSearch: true }}
          aria-current={view === shown ? 'page' : undefined}
        >
          {t(`views.${view}`)}
        </Link>
      ))}
    </ViewTabs>
  )
}

function TypeChoice({ type, onChoose }: { type: BooksType; onChoose: (type: BooksType) => void }) {
  const { t } = useTranslation('reports')
  return (
    <label className={styles['choice']}>
      <span>{t('type.label')}</span>
      <select value={type} onChange={({ target }) => onChoose(target.value as BooksType)}>
        <option value="term">{t('type.term')}</option>
        <option value="year_end">{t('type.yearEnd')}</option>
      </select>
    </label>
  )
}
