import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { useProfile } from '../../api/session.ts'
import { readStored, writeStored } from '../../components/browser-storage.ts'
import { Button } from '../../components/button.tsx'
import { ButtonLink } from '../../components/button-link.tsx'
import layout from '../../components/layout.module.css'
import { Badge, Card } from '../../components/page.tsx'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { useServerAddress } from '../../frame/server-address.ts'
import styles from './home.module.css'

/** What a school needs before marks can be entered, in the order in which it is set up. */
const steps = ['year', 'terms', 'subjects', 'classes', 'pupils', 'colleagues'] as const

type SetUpStep = (typeof steps)[number]

const pages = {
  year: '/years',
  terms: '/years',
  subjects: '/subjects',
  classes: '/classes',
  pupils: '/students',
  colleagues: '/people',
} as const satisfies Record<SetUpStep, string>

/** The id of the school whose steps were hidden on this computer. */
const STORAGE_KEY = 'markbook.steps-hidden'

/** Which steps are done; null while that is loading. */
function useSetUp(): Record<SetUpStep, boolean> | null {
  const { years, terms, year, isLoading } = useChosenTerm()
  const subjects = useQuery(ask('subjects', 'list', { query: { limit: 1 } }))
  const classes = useQuery({ ...ask('classes', 'list', { query: { academicYearId: year?.id ?? '', limit: 1 } }), enabled: year !== null })
  const pupils = useQuery(ask('students', 'list', { query: { limit: 1 } }))
  const members = useQuery(ask('schools', 'members', { query: { limit: 2 } }))
  if (isLoading || !subjects.data || !pupils.data || !members.data || (year && !classes.data)) return null
  return {
    year: years.some(({ is_active }) => is_active),
    terms: terms.length > 0,
    subjects: subjects.data.length > 0,
    classes: (classes.data ?? []).length > 0,
    pupils: pupils.data.length > 0,
    colleagues: members.data.length > 1,
  }
}

/** The steps by which an administrator sets up a new school. Not shown once all are done. */
export function FirstSteps() {
  const { t } = useTranslation('home')
  const { school_id } = useProfile()
  const setUp = useSetUp()
  const [hidden, setHidden] = useState(() => readStored(STORAGE_KEY) === (school_id ?? ''))
  const next = setUp && steps.find((step) => !setUp[step])
  const address = useServerAddress()
  if (!setUp || !next || hidden) return null
  const hide = () => {
    setHidden(true)
    writeStored(STORAGE_KEY, school_id ?? '')
  }
  const canHide = next === 'colleagues'
  const textOf = (step: SetUpStep) =>
    step === 'colleagues' && address === undefined ? t('steps.colleagues.textLocal') : t(`steps.${step}.text`, { address })
  return (
    <Card
      title={t('steps.title')}
      actions={
        canHide && (
          <Button size="small" onClick={hide}>
            {t('steps.hide')}
          </Button>
        )
      }
    >
      <p>{t('steps.lead')}</p>
      <ol className={`${layout['ruled']} ${styles['steps']}`}>
        {steps.map((step, at) => (
          <li key={step} data-done={setUp[step]} aria-current={step === next ? 'step' : undefined}>
            <span className={styles['number']} aria-hidden="true">
              {setUp[step] ? '✓' : at + 1}
            </span>
            <div className={styles['text']}>
              <strong>{t(`steps.${step}.title`)}</strong>
              {!setUp[step] && <span>{textOf(step)}</span>}
            </div>
            {setUp[step] ? (
              <Badge tone="good">{t('steps.done')}</Badge>
            ) : (
              <ButtonLink to={pages[step]} look={step === next ? 'primary' : 'plain'} size="small" aria-label={t(`steps.${step}.do`)}>
                {t('steps.go')}
              </ButtonLink>
            )}
          </li>
        ))}
      </ol>
    </Card>
  )
}
