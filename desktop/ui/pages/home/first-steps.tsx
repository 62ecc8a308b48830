import type { ClassProgress } from '@markbook/shared/contract/classes'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { ButtonLink } from '../../components/button-link.tsx'
import layout from '../../components/layout.module.css'
import { Badge, Card } from '../../components/page.tsx'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { useServerAddress } from '../../frame/server-address.ts'
import styles from './home.module.css'
import { rowsOfTeacher } from './progress.ts'
import { usePutOff } from './put-off.ts'
import { useClassProgress } from './use-class-progress.ts'

const pages = {
  year: '/years',
  terms: '/years',
  subjects: '/subjects',
  classes: '/classes',
  pupils: '/students',
  colleagues: '/people',
  marks: '/marks',
  ownClass: '/classes',
  assessment: '/assessments',
} as const
type Part = keyof typeof pages

/** `next`: the part of the step to do next; null where all are done. */
type Step = { name: 'yearAndTerms' | 'classesAndPupils' | Exclude<Part, 'year' | 'terms' | 'classes' | 'pupils'>; next: Part | null }

/** The first part that is missing; null where none is. */
const nextOf = (parts: readonly (readonly [part: Part, isThere: boolean])[]): Part | null =>
  parts.find(([, isThere]) => !isThere)?.[0] ?? null

function useProgress(): { rows: readonly ClassProgress[] | undefined; isLoading: boolean } {
  const { term } = useChosenTerm()
  const progress = useClassProgress()
  return { rows: term ? progress.data : [], isLoading: progress.isLoading }
}

const isMarked = ({ recorded }: ClassProgress) => recorded > 0

/** The steps; null where they cannot be shown, with `isLoading` while that may change. */
type SchoolSteps = { steps: Step[] | null; isLoading: boolean }

/** The steps of setting up a school, in order. */
function useSchoolSteps(isNeeded: boolean): SchoolSteps {
  const { years, terms, year, term, isLoading } = useChosenTerm()
  const enabled = isNeeded
  const subjects = useQuery({ ...ask('subjects', 'list', { query: { limit: 1 } }), enabled })
  const classes = useQuery({
    ...ask('classes', 'list', { query: { academicYearId: year?.id ?? '', limit: 1 } }),
    enabled: enabled && year !== null,
  })
  const pupils = useQuery({ ...ask('students', 'list', { query: { limit: 1 } }), enabled })
  const members = useQuery({ ...ask('schools', 'members', { query: { limit: 2 } }), enabled })
  const asked = useProgress()
  const { rows: progress } = asked
  if (isLoading || !subjects.data || !pupils.data || !members.data || (year && !classes.data) || !progress) {
    return { steps: null, isLoading: isLoading || [subjects, classes, pupils, members, asked].some((query) => query.isLoading) }
  }
  const hasYear = years.some(({ is_active }) => is_active)
  // Only the first term of a school's first year counts as the beginning.
  const isBegun = years.length > 1 || terms.findIndex(({ id }) => id === term?.id) > 0 || progress.some(isMarked)
  const steps: Step[] = [
    {
      name: 'yearAndTerms',
      next: nextOf([
        ['year', hasYear],
        ['terms', terms.length > 0],
      ]),
    },
    { name: 'subjects', next: nextOf([['subjects', subjects.data.length > 0]]) },
    {
      name: 'classesAndPupils',
      next: nextOf([
        ['classes', (classes.data ?? []).length > 0],
        ['pupils', pupils.data.length > 0],
      ]),
    },
    { name: 'colleagues', next: nextOf([['colleagues', members.data.length > 1]]) },
    { name: 'marks', next: nextOf([['marks', isBegun]]) },
  ]
  return { steps, isLoading: false }
}

/** The steps of a teacher's first day. */
function useTeacherSteps(): SchoolSteps {
  const { year, term, isLoading } = useChosenTerm()
  const classes = useQuery({ ...ask('classes', 'list', { query: { academicYearId: year?.id ?? '' } }), enabled: year !== null })
  const asked = useProgress()
  const { rows: progress } = asked
  if (!term || !classes.data || !progress) return { steps: null, isLoading: isLoading || classes.isLoading || asked.isLoading }
  const own = rowsOfTeacher(progress)
  const steps: Step[] = [
    { name: 'ownClass', next: nextOf([['ownClass', classes.data.length > 0]]) },
    { name: 'assessment', next: nextOf([['assessment', own.some(({ assessments }) => assessments > 0)]]) },
    { name: 'marks', next: nextOf([['marks', own.some(isMarked)]]) },
  ]
  return { steps, isLoading: false }
}

/** By school, for people who work at several. */
const keyOf = (schoolId: string | null) => `first-steps ${schoolId ?? ''}`

/** Returns a function that shows the steps again that this person has hidden. */
export function useStepsAgain(): () => void {
  const { school_id } = useProfile()
  const { bringBack } = usePutOff()
  return () => bringBack(keyOf(school_id))
}

/**
 * The first steps of an administrator or a teacher, and whether they are shown: until all are done, or the person hides them. `isLoading`:
 * that is still unknown; what is below would move when they appear.
 */
export function useFirstSteps() {
  const profile = useProfile()
  const all = isAdmin(profile)
  const ofSchool = useSchoolSteps(all)
  const ofTeacher = useTeacherSteps()
  const { steps, isLoading } = all ? ofSchool : ofTeacher
  const key = keyOf(profile.school_id)
  const { isPutOff, wasBroughtBack, putOff } = usePutOff()
  const isFinished = steps?.every(({ next }) => next === null) ?? false
  const isShown = steps !== null && !isPutOff(key) && (!isFinished || wasBroughtBack(key))
  const hide = () => putOff(key)
  const finish = useEffectEvent(() => {
    if (!isPutOff(key) && !wasBroughtBack(key)) hide()
  })
  // Remembers that the steps are done, since a later term without marks would show them again.
  useEffect(() => {
    if (isFinished && !all) finish()
  }, [isFinished, all])
  return { steps: steps ?? [], isShown, isLoading: isLoading && !isPutOff(key), hide }
}

type Props = Pick<ReturnType<typeof useFirstSteps>, 'steps' | 'hide'>

/** The list of steps with links; those that are done are checked. */
export function FirstSteps({ steps, hide }: Props) {
  const { t } = useTranslation('home')
  const all = isAdmin(useProfile())
  const address = useServerAddress()
  const current = steps.find(({ next }) => next !== null)
  const textOf = (part: Part) =>
    part === 'colleagues' && address === undefined ? t('steps.colleagues.textLocal') : t(`steps.${part}.text`, { address })
  return (
    <Card
      title={t('steps.title')}
      actions={
        <Button size="small" look="quiet" onClick={hide} aria-label={t('steps.putOff')}>
          {t('wait.putOff')}
        </Button>
      }
    >
      <p>{t(current ? (all ? 'steps.lead' : 'steps.leadTeacher') : 'steps.finished')}</p>
      <ol className={`${layout['ruled']} ${styles['steps']}`}>
        {steps.map((step, at) => (
          <li key={step.name} data-done={step.next === null} aria-current={step === current ? 'step' : undefined}>
            <span className={styles['number']} aria-hidden="true">
              {step.next === null ? '✓' : at + 1}
            </span>
            <div className={styles['text']}>
              <strong>{t(`steps.${step.name}.title`)}</strong>
              {step.next && <span>{textOf(step.next)}</span>}
            </div>
            {step.next === null ? (
              <Badge tone="good">{t('steps.done')}</Badge>
            ) : (
              <ButtonLink
                to={pages[step.next]}
                look={step === current ? 'primary' : 'plain'}
                size="small"
                aria-label={t(`steps.${step.next}.do`)}
              >
                {t('steps.go')}
              </ButtonLink>
            )}
          </li>
        ))}
      </ol>
    </Card>
  )
}
