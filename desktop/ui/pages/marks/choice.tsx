import { useQueries, useQuery } from '@tanstack/react-query'
import { Link, Navigate, useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ask, type ReplyOf } from '../../api/queries.ts'
import { Answer, Badge, Card, Empty, Loading, Page } from '../../components/page.tsx'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { keptSheet } from './kept-sheet.ts'
import styles from './marks.module.css'

type Listed = ReplyOf<'classes', 'list'>[number]

/** The classes of the chosen year that this person teaches; for administrators all of them. */
function useClasses() {
  const { year, isLoading } = useChosenTerm()
  const classes = useQuery({ ...ask('classes', 'list', { query: { academicYearId: year?.id } }), enabled: year !== null })
  return { year, classes, isLoading }
}

/** `/marks`: which class, which subject? Of one computer mostly the same as the day before: that stands first. */
export function ChooseMarksPage() {
  const { t } = useTranslation('marks')
  const asked = useSearch({ from: '/school/marks' })
  const { year, classes, isLoading } = useClasses()
  if (asked.classId && asked.subjectId) {
    return <Navigate to="/marks/$classId/$subjectId" params={{ classId: asked.classId, subjectId: asked.subjectId }} replace />
  }
  return (
    <Page title={t('title')} lead={t('lead')}>
      {isLoading ? (
        <Loading />
      ) : year ? (
        <Answer of={classes} empty={t('noClass')}>
          {(list) => <Classes classes={list} first={asked.classId ?? keptSheet()?.classId} />}
        </Answer>
      ) : (
        <Empty>{t('noYear')}</Empty>
      )}
    </Page>
  )
}

function Classes({ classes, first }: { classes: readonly Listed[]; first: string | undefined }) {
  const sorted = [...classes].sort((a, b) => Number(b.id === first) - Number(a.id === first))
  const subjects = useQueries({ queries: sorted.map(({ id }) => ask('classes', 'mySubjects', { params: { classId: id } })) })
  const { t } = useTranslation('marks')
  return sorted.map((group, at) => (
    <Card key={group.id} title={group.name} actions={group.isClassTeacher && <Badge>{t('ownClass')}</Badge>}>
      <Answer of={subjects[at] as (typeof subjects)[number]} empty={t('noSubject')}>
        {(own) => (
          <ul className={styles['subjects']} aria-label={`${t('subject')}, ${group.name}`}>
            {own.map((subject) => (
              <li key={subject.id}>
                <Link className={styles['subject']} to="/marks/$classId/$subjectId" params={{ classId: group.id, subjectId: subject.id }}>
                  {subject.name}
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Answer>
    </Card>
  ))
}

/** Another class, or another subject of this one. */
export function SheetChoice({ classId, subjectId }: { classId: string; subjectId: string }) {
  const { t } = useTranslation('marks')
  const navigate = useNavigate()
  const { classes } = useClasses()
  const own = useQuery(ask('classes', 'mySubjects', { params: { classId } }))
  const subjects = useQuery(ask('subjects', 'list'))
  const known = own.data ?? []
  const shown = known.some(({ id }) => id === subjectId)
    ? known
    : [...known, ...(subjects.data?.filter(({ id }) => id === subjectId) ?? [])]
  const go = (params: { classId: string; subjectId: string }) => void navigate({ to: '/marks/$classId/$subjectId', params, search: true })
  return (
    <div className={styles['choice']}>
      <select aria-label={t('class')} value={classId} onChange={({ target }) => go({ classId: target.value, subjectId })}>
        {classes.data?.every(({ id }) => id !== classId) && <option value={classId}>–</option>}
        {classes.data?.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <select aria-label={t('subject')} value={subjectId} onChange={({ target }) => go({ classId, subjectId: target.value })}>
        {shown.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}
