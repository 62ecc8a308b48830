import { useQuery } from '@tanstack/react-query'
import { Link, Navigate } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { ReplyOf } from '../../api/queries.ts'
import { ask } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { Answer, Badge, Empty, Loading, Page } from '../../components/page.tsx'
import { type ChosenTerm, useChosenTerm } from '../../frame/chosen-term.ts'
import { keepClass, keptClass } from './kept-class.ts'
import styles from './results.module.css'

export type ListedClass = ReplyOf<'classes', 'list'>[number]
type Area = 'results' | 'reports'
const pages = { results: '/results/$classId', reports: '/reports/$classId' } as const

/** The classes of the chosen year that this person teaches; for administrators all of them. */
export function useClasses({ year }: Pick<ChosenTerm, 'year'>) {
  return useQuery({ ...ask('classes', 'list', { query: { academicYearId: year?.id } }), enabled: year !== null })
}

/** What is this person's to see of a class: all of it, or as a teacher of subjects their own part. */
export function useOwnsClass(group: ListedClass | undefined): boolean {
  const profile = useProfile()
  return isAdmin(profile) || group?.isClassTeacher === true
}

/** Which class? Whoever has only one, or looked at one before, is taken there. */
export function ChooseClass({ area, title, lead }: { area: Area; title: string; lead: string }) {
  const { t } = useTranslation('results')
  const chosen = useChosenTerm()
  const classes = useClasses(chosen)
  const known = classes.data?.find(({ id }) => id === keptClass()) ?? (classes.data?.length === 1 ? classes.data[0] : undefined)
  if (known) return <Navigate to={pages[area]} params={{ classId: known.id }} replace />
  return (
    <Page title={title} lead={lead}>
      {chosen.isLoading ? <Loading /> : chosen.year ? <ClassList area={area} classes={classes} /> : <Empty>{t('class.noYear')}</Empty>}
    </Page>
  )
}

function ClassList({ area, classes }: { area: Area; classes: ReturnType<typeof useClasses> }) {
  const { t } = useTranslation('results')
  return (
    <Answer of={classes} empty={t('class.none')}>
      {(list) => (
        <ul className={styles['classes']} aria-label={t('class.choose')}>
          {list.map(({ id, name, isClassTeacher }) => (
            <li key={id}>
              <Link to={pages[area]} params={{ classId: id }} className={styles['class']}>
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

type Here = { chosen: ChosenTerm; group: ListedClass; classes: readonly ListedClass[] }

/**
 * A page about one class in the chosen year and term: it remembers the class, and where the class is not of that year, or there is no
 * term yet, it says so and offers the others.
 */
export function OfClass({
  area,
  classId,
  title,
  children,
}: {
  area: Area
  classId: string
  title: string
  children: (here: Here) => ReactNode
}) {
  const { t } = useTranslation('results')
  const chosen = useChosenTerm()
  const classes = useClasses(chosen)
  const group = classes.data?.find(({ id }) => id === classId)
  const found = group?.id
  useEffect(() => {
    if (found) keepClass(found)
  }, [found])
  if (group && chosen.term) return children({ chosen, group, classes: classes.data ?? [] })
  const isLoading = chosen.isLoading || (chosen.year !== null && classes.isPending)
  return (
    <Page title={title}>
      {isLoading ? (
        <Loading />
      ) : group ? (
        <Empty>{t('class.noTerm')}</Empty>
      ) : (
        <>
          <p>{t('class.elsewhere', { year: chosen.year?.name ?? '–' })}</p>
          <ClassList area={area} classes={classes} />
        </>
      )}
    </Page>
  )
}

/** The same page of another class. */
export function ClassSwitch({
  classes,
  classId,
  onChoose,
}: {
  classes: readonly ListedClass[]
  classId: string
  onChoose: (id: string) => void
}) {
  const { t } = useTranslation('results')
  return (
    <label className={styles['switch']}>
      <span>{t('class.label')}</span>
      <select value={classId} onChange={({ target }) => onChoose(target.value)}>
        {classes.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
