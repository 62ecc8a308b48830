import { useQueries, useQuery } from '@tanstack/react-query'
import { Navigate, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, askWhole } from '../../api/queries.ts'
import { readStored, writeStored } from '../../components/browser-storage.ts'
import { ButtonLink } from '../../components/button-link.tsx'
import { Options } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Badge, Card, Empty, Loading, Page } from '../../components/page.tsx'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { NoClass } from '../../frame/no-class.tsx'
import { prepareFormatters } from '../../words/format.ts'
import { type ListedClass, useClasses } from '../results/class-page.tsx'
import styles from './marks.module.css'

/** `/marks`: choose a class and a subject. The class that was last opened in this browser comes first. */
export function ChooseMarksPage() {
  const { t } = useTranslation('marks')
  const { classId, subjectId } = useSearch({ from: '/school/marks' })
  const chosen = useChosenTerm()
  const classes = useClasses(chosen)
  useEffect(() => {
    const timer = setTimeout(prepareFormatters)
    return () => clearTimeout(timer)
  }, [])
  if (classId && subjectId) return <Navigate to="/marks/$classId/$subjectId" params={{ classId, subjectId }} replace />
  return (
    <Page title={t('title')} lead={t('lead')}>
      {chosen.isLoading ? (
        <Loading />
      ) : chosen.year ? (
        <>
          <Answer of={classes} empty={<NoClass year={chosen.year.name} />}>
            {(list) => <Classes classes={list} first={classId ?? readStored(STORAGE_KEY)} />}
          </Answer>
          <Sets yearId={chosen.year.id} />
        </>
      ) : (
        <Empty>{t('noYear')}</Empty>
      )}
    </Page>
  )
}

function Classes({ classes, first }: { classes: readonly ListedClass[]; first: string | null }) {
  const sorted = [...classes].sort((a, b) => Number(b.id === first) - Number(a.id === first))
  const subjects = useQueries({ queries: sorted.map(({ id }) => ask('classes', 'mySubjects', { params: { classId: id } })) })
  const { term } = useChosenTerm()
  const progress = useQuery({ ...askWhole('classes', 'progress', { query: { termId: term?.id ?? '' } }), enabled: Boolean(term) })
  const { t } = useTranslation('marks')
  return sorted.map((group, at) => (
    <Card key={group.id} title={group.name} actions={group.isClassTeacher && <Badge>{t('ownClass')}</Badge>}>
      <Answer of={subjects[at] as (typeof subjects)[number]} empty={t('noSubject')}>
        {(list) => {
          // The subjects are shown once it is known whose they are, since a button must not move under a finger.
          if (progress.isLoading) return <Loading />
          const rows = progress.data?.filter((row) => row.is_own && row.class.id === group.id) ?? []
          const isOwn = ({ id }: { id: string }) => rows.some(({ subject }) => subject.id === id)
          const [own, others] = [list.filter(isOwn), list.filter((subject) => !isOwn(subject))]
          if (own.length === 0 || others.length === 0) return <SubjectLinks label={t('subject')} group={group} subjects={list} />
          return (
            <>
              <h3>{t('ownSubjects')}</h3>
              <SubjectLinks label={t('ownSubjects')} group={group} subjects={own} />
              <h3>{t('otherSubjects')}</h3>
              <SubjectLinks label={t('otherSubjects')} group={group} subjects={others} />
            </>
          )
        }}
      </Answer>
    </Card>
  ))
}

type SubjectLinksProps = { label: string; group: ListedClass; subjects: readonly { id: string; name: string }[] }

const SubjectLinks = ({ label, group, subjects }: SubjectLinksProps) => (
  <ul className={`${layout['wrap']} ${styles['subjects']}`} aria-label={`${label}, ${group.name}`}>
    {subjects.map((subject) => (
      <li key={subject.id}>
        <ButtonLink to="/marks/$classId/$subjectId" params={{ classId: group.id, subjectId: subject.id }}>
          {subject.name}
        </ButtonLink>
      </li>
    ))}
  </ul>
)

/** The teaching sets of the year; renders nothing where there are none. */
function Sets({ yearId }: { yearId: string }) {
  const { t } = useTranslation('marks')
  const sets = useQuery(ask('teachingSets', 'list', { query: { academicYearId: yearId } }))
  if (!sets.data || sets.data.length === 0) return null
  return (
    <Card title={t('sets')}>
      <ul className={`${layout['wrap']} ${styles['subjects']}`} aria-label={t('sets')}>
        {sets.data.map(({ id, name, subject }) => (
          <li key={id}>
            <ButtonLink to="/marks/sets/$setId" params={{ setId: id }}>
              {t('sheet', { subject: subject.name, class: name })}
            </ButtonLink>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Chooses another class, or another subject of the class. */
export function SheetChoice({ classId, subjectId }: { classId: string; subjectId: string }) {
  const { t } = useTranslation('marks')
  const navigate = useNavigate()
  const classes = useClasses(useChosenTerm())
  const own = useQuery(ask('classes', 'mySubjects', { params: { classId } }))
  const subjects = useQuery(ask('subjects', 'list'))
  const taught = own.data ?? []
  const choices = taught.some(({ id }) => id === subjectId)
    ? taught
    : [...taught, ...(subjects.data?.filter(({ id }) => id === subjectId) ?? [])]
  const go = (params: { classId: string; subjectId: string }) => void navigate({ to: '/marks/$classId/$subjectId', params, search: true })
  return (
    <div className={`${layout['wrap']} ${styles['choice']}`}>
      <select aria-label={t('class')} value={classId} onChange={({ target }) => go({ classId: target.value, subjectId })}>
        {classes.data?.every(({ id }) => id !== classId) && <option value={classId}>–</option>}
        <Options of={classes.data ?? []} />
      </select>
      <select aria-label={t('subject')} value={subjectId} onChange={({ target }) => go({ classId, subjectId: target.value })}>
        <Options of={choices} />
      </select>
    </div>
  )
}

/** The key of the class whose marks were last opened in this browser. */
const STORAGE_KEY = 'markbook.sheet'
export const rememberClass = (classId: string) => writeStored(STORAGE_KEY, classId)
