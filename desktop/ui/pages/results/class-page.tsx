import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import type { StudentName } from '@markbook/shared/contract/scalars'
import type { Term } from '@markbook/shared/contract/terms'
import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps, Navigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, type ReplyOf } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { readStored, writeStored } from '../../components/browser-storage.ts'
import { InlineSelect, Options } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Badge, Empty, Loading, Page } from '../../components/page.tsx'
import { type ChosenTerm, useChosenTerm } from '../../frame/chosen-term.ts'
import { NoClass } from '../../frame/no-class.tsx'
import { OtherYear } from '../../frame/other-year.tsx'
import { isRightToLeft } from '../../words/direction.ts'
import { nameOf } from '../../words/names.ts'
import styles from './results.module.css'

export type ListedClass = ReplyOf<'classes', 'list'>[number]
type ClassArea = 'results' | 'reports' | 'attendance'
const classRoutes = { results: '/results/$classId', reports: '/reports/$classId', attendance: '/attendance/$classId' } as const

/** The classes of the chosen year that this person teaches; all of them for administrators. */
export function useClasses({ year }: Pick<ChosenTerm, 'year'>) {
  return useQuery({ ...ask('classes', 'list', { query: { academicYearId: year?.id } }), enabled: year !== null })
}

/** Whether this person may see all of a class: its class teacher and administrators. */
export function useOwnsClass(group: ListedClass | undefined): boolean {
  const profile = useProfile()
  return isAdmin(profile) || group?.isClassTeacher === true
}

/** Asks for a class; opens the only one, or the one that was last opened in this browser. */
export function ChooseClass({ area }: { area: ClassArea }) {
  const { t } = useTranslation(['results', 'reports'])
  const chosen = useChosenTerm()
  const classes = useClasses(chosen)
  const known = classes.data?.find(({ id }) => id === readStored(STORAGE_KEY)) ?? (classes.data?.length === 1 ? classes.data[0] : undefined)
  if (known) return <Navigate to={classRoutes[area]} params={{ classId: known.id }} replace />
  return (
    <Page title={t('title', { ns: area })} lead={t('choose', { ns: area })}>
      {chosen.isLoading ? (
        <Loading />
      ) : chosen.year ? (
        <ClassList area={area} classes={classes} year={chosen.year.name} />
      ) : (
        <Empty>{t('class.noYear')}</Empty>
      )}
    </Page>
  )
}

function ClassList({ area, classes, year }: { area: ClassArea; classes: ReturnType<typeof useClasses>; year: string }) {
  const { t } = useTranslation('results')
  return (
    <Answer of={classes} empty={<NoClass year={year} />}>
      {(list) => (
        <ul className={styles['classes']} aria-label={t('class.choose')}>
          {list.map(({ id, name, isClassTeacher }) => (
            <li key={id}>
              <Link to={classRoutes[area]} params={{ classId: id }} className={`${layout['box']} ${styles['class']}`}>
                <span>{name}</span>
                {isClassTeacher && <Badge>{t('class.own')}</Badge>}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Answer>
  )
}

export type ClassContext = { chosen: ChosenTerm; year: AcademicYear; term: Term; group: ListedClass; classes: readonly ListedClass[] }

type ClassPageProps = { area: ClassArea; classId: string; children: (here: ClassContext) => ReactNode }

/** A page about one class in the chosen year and term. Where the class is not of that year, or the year has no term, it offers others. */
export function ClassPage({ area, classId, children }: ClassPageProps) {
  const { t } = useTranslation(['results', 'reports'])
  const chosen = useChosenTerm()
  const classes = useClasses(chosen)
  const group = classes.data?.find(({ id }) => id === classId)
  const found = group?.id
  useEffect(() => {
    if (found) writeStored(STORAGE_KEY, found)
  }, [found])
  const { year, term } = chosen
  if (group && year && term) return children({ chosen, year, term, group, classes: classes.data ?? [] })
  const isLoading = chosen.isLoading || (year !== null && classes.isPending)
  return (
    <Page title={t('title', { ns: area })}>
      {isLoading ? <Loading /> : group ? <Empty>{t('class.noTerm')}</Empty> : <NotOfYear area={area} classId={classId} />}
    </Page>
  )
}

/** Shown for a class of another year, or one that this person does not teach; lists the classes of the chosen year. */
export function NotOfYear({ area, classId }: { area: ClassArea; classId: string }) {
  const { t } = useTranslation('results')
  const chosen = useChosenTerm()
  const classes = useClasses(chosen)
  const all = useQuery(ask('classes', 'list', { query: {} }))
  const group = all.data?.find(({ id }) => id === classId)
  return (
    <>
      {group ? (
        <OtherYear yearId={group.academicYearId} />
      ) : (
        <p>{all.isPending ? '' : t('class.elsewhere', { year: chosen.year?.name ?? '–' })}</p>
      )}
      <ClassList area={area} classes={classes} year={chosen.year?.name ?? '–'} />
    </>
  )
}

type ClassSwitchProps = { classes: readonly ListedClass[]; classId: string; onChoose: (id: string) => void }

/** Opens the same page of another class. */
export function ClassSwitch({ classes, classId, onChoose }: ClassSwitchProps) {
  const { t } = useTranslation('results')
  return (
    <InlineSelect label={t('class.label')} className={styles['switch']} value={classId} onChange={({ target }) => onChoose(target.value)}>
      <Options of={classes} />
    </InlineSelect>
  )
}

/** The key of the class that was last opened in this browser. */
const STORAGE_KEY = 'markbook.class'

type ViewTabsProps<View> = {
  label: string
  views: readonly View[]
  shown: View
  textOf: (view: View) => string
  linkOf: (view: View) => LinkProps
}

/** The views of a page as links. The present one has `aria-current`, and is scrolled into view on a telephone. */
export function ViewTabs<View extends string>({ label, views, shown, textOf, linkOf }: ViewTabsProps<View>) {
  const current = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (shown) current.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [shown])
  return (
    <nav className={styles['tabs']} aria-label={label}>
      {views.map((view) => (
        <Link
          key={view}
          {...linkOf(view)}
          ref={view === shown ? current : undefined}
          activeOptions={{ exact: true, includeSearch: true }}
          aria-current={view === shown ? 'page' : undefined}
        >
          {textOf(view)}
        </Link>
      ))}
    </nav>
  )
}

type NeighbourLinksProps = {
  pupils: readonly StudentName[]
  /** The id of the pupil whose page it is. */
  id: string
  linkOf: (id: string) => LinkProps & { className?: string | undefined }
}

/** Links to the pages of the former and the next pupil. */
export function NeighbourLinks({ pupils, id, linkOf }: NeighbourLinksProps) {
  const at = pupils.findIndex((pupil) => pupil.id === id)
  const [before, after] = at < 0 ? [] : [pupils[at - 1], pupils[at + 1]]
  return (
    <>
      {before && (
        <Link {...linkOf(before.id)}>
          {isRightToLeft() ? '→' : '←'} <bdi>{nameOf(before)}</bdi>
        </Link>
      )}
      {after && (
        <Link {...linkOf(after.id)}>
          <bdi>{nameOf(after)}</bdi> {isRightToLeft() ? '←' : '→'}
        </Link>
      )}
    </>
  )
}

/** The grading scale of a year, which rarely changes. */
export const useScale = (academicYearId: string) =>
  useQuery({ ...ask('gradingScale', 'get', { query: { academicYearId } }), staleTime: 300_000 })
