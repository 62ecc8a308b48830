import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { InlineSelect } from '../../components/field.tsx'
import { Page } from '../../components/page.tsx'
import type { ChosenTerm } from '../../frame/chosen-term.ts'
import { ChooseClass, ClassPage, ClassSwitch, type ListedClass, useOwnsClass, ViewTabs } from '../results/class-page.tsx'
import type { BookScope } from './book-queries.ts'
import { type BooksType, type BookView, bookViews, useBooksSearch } from './book-search.ts'
import { BooksView } from './books-view.tsx'
import { CheckView } from './check-view.tsx'
import { FillView } from './fill-view.tsx'

const route = getRouteApi('/school/reports/$classId')

export function BooksPage() {
  const { t } = useTranslation('reports')
  const { classId } = route.useParams()
  return (
    <ClassPage key={classId} area="reports" classId={classId} title={t('title')}>
      {(here) => <ClassBooks {...here} />}
    </ClassPage>
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
  const of: BookScope = { classId: group.id, termId: chosen.term?.id ?? '', type }
  const term = chosen.term ? t(`app:term.${chosen.term.name}`) : ''
  const choose = (classId: string) =>
    void navigate({ to: '/reports/$classId', params: { classId }, search: { type: search.type, view: search.view } })
  const actions = (
    <>
      {isYearBased && (
        <InlineSelect
          label={t('type.label')}
          value={type}
          onChange={({ target }) =>
            change(({ view: same }) => ({ view: same, ...(target.value === 'year_end' && { type: target.value }) }))
          }
        >
          <option value="term">{t('type.term')}</option>
          <option value="year_end">{t('type.yearEnd')}</option>
        </InlineSelect>
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

export function ReportsPage() {
  const { t } = useTranslation('reports')
  return <ChooseClass area="reports" title={t('title')} lead={t('choose')} />
}
