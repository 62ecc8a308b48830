import type { UseQueryResult } from '@tanstack/react-query'
import CircleAlert from 'lucide-react/icons/circle-alert'
import CircleCheck from 'lucide-react/icons/circle-check'
import CircleHelp from 'lucide-react/icons/circle-question-mark'
import Info from 'lucide-react/icons/info'
import OctagonAlert from 'lucide-react/icons/octagon-alert'
import { type ComponentProps, lazy, type ReactNode, Suspense, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { sentenceOf } from '../words/failure.ts'
import { Button } from './button.tsx'
import helpStyles from './help.module.css'
import type { Help as HelpButton } from './help.tsx'
import { Icon } from './icon.tsx'
import layout from './layout.module.css'
import styles from './page.module.css'

/** Keeps the space of the button while it is loaded, and where it cannot be loaded. */
const HelpPlace = () => (
  <span className={helpStyles['trigger']} aria-hidden="true">
    <Icon of={CircleHelp} />
  </span>
)
/** Loaded separately: the sign-in page has no help, and the popover would be a quarter of its code. */
const Help = lazy<typeof HelpButton>(() =>
  import('./help.tsx').then(({ Help: button }) => ({ default: button })).catch(() => ({ default: HelpPlace })),
)

type Tone = 'info' | 'good' | 'warn' | 'bad'
const toneIcons = { info: Info, good: CircleCheck, warn: CircleAlert, bad: OctagonAlert } as const

/** `help`: the text behind a `?` beside the title, about how the page works. */
type PageProps = {
  title: string
  help?: string
  /** An action of the page to repeat, below that text. */
  helpAction?: ComponentProps<typeof HelpButton>['action']
  lead?: ReactNode
  actions?: ReactNode
  wide?: boolean
  dense?: boolean
  children: ReactNode
}

/**
 * A page: its title, which is also that of the window, an introduction and its actions. `dense`: all in one line, for a page that needs the
 * space.
 */
export function Page({ title, help, helpAction, lead, actions, wide = false, dense = false, children }: PageProps) {
  const { t } = useTranslation('app')
  useEffect(() => {
    document.title = `${title} – ${t('name')}`
  }, [title, t])
  return (
    <div className={[styles['page'], wide && styles['wide'], dense && styles['dense']].filter(Boolean).join(' ')}>
      <header className={styles['head']}>
        <div>
          <div className={styles['title']}>
            <h1 tabIndex={-1}>{title}</h1>
            {help && (
              <Suspense fallback={<HelpPlace />}>
                <Help about={title} text={help} action={helpAction} />
              </Suspense>
            )}
          </div>
          {lead && <p className={styles['lead']}>{lead}</p>}
        </div>
        {actions && <div className={layout['wrap']}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}

type CardProps = {
  title?: string
  label?: string | undefined
  actions?: ReactNode
  className?: string | undefined
  children: ReactNode
}

/** A part of a page, with a heading, or a `label` for screen readers. */
export function Card({ title, label = title, actions, className = '', children }: CardProps) {
  return (
    <section className={`${layout['box']} ${layout['spaced']} ${styles['card']} ${className}`} aria-label={label}>
      {(title || actions) && (
        <div className={styles['cardHead']}>
          {title && <h2>{title}</h2>}
          {actions && <div className={layout['wrap']}>{actions}</div>}
        </div>
      )}
      {children}
    </section>
  )
}

/** A message in its place on the page. */
export const Notice = ({ tone = 'info', children }: { tone?: Tone; children: ReactNode }) => (
  <div className={`${layout['toolbar']} ${styles['notice']} ${styles[tone] ?? ''}`} role={tone === 'bad' ? 'alert' : 'status'}>
    <Icon of={toneIcons[tone]} />
    {children}
  </div>
)

/** One or two words beside a name. The tone chooses an icon; neither colour nor icon is the only sign. */
export const Badge = ({ tone, children, ...rest }: { tone?: Tone; children: ReactNode } & ComponentProps<'span'>) => (
  <span {...rest} className={`${styles['badge']} ${styles[tone ?? ''] ?? ''}`}>
    {tone && <Icon of={toneIcons[tone]} />}
    {children}
  </span>
)

/** Shown instead of an empty list; without children a general sentence. */
export const Empty = ({ children }: { children?: ReactNode }) => {
  const { t } = useTranslation('app')
  return <div className={styles['empty']}>{children ?? t('state.empty')}</div>
}

/** A failure as a sentence, with a button to retry. */
export function FailureNotice({ failure, onRetry }: { failure: unknown; onRetry?: () => void }) {
  const { t } = useTranslation('app')
  if (!failure) return null
  return (
    <Notice tone="bad">
      <span>{sentenceOf(failure)}</span>
      {onRetry && (
        <Button size="small" onClick={onRetry}>
          {t('action.retry')}
        </Button>
      )}
    </Notice>
  )
}

export const Loading = () => {
  const { t } = useTranslation('app')
  return (
    <div className={`${layout['list']} ${styles['loading']}`} role="status">
      <span>{t('state.loading')}</span>
      <span className={styles['coming']} aria-hidden="true" />
    </div>
  )
}

/**
 * The data of a query: `<Answer of={query}>{(terms) => …}</Answer>`. While it loads it says so; after a failure it says why, with a button
 * to retry. Earlier data stays visible. `empty` is shown instead of an empty list.
 */
export function Answer<T>({ of, empty, children }: { of: UseQueryResult<T>; empty?: ReactNode; children: (answer: T) => ReactNode }) {
  if (of.data === undefined) {
    return of.error ? <FailureNotice failure={of.error} onRetry={() => void of.refetch()} /> : <Loading />
  }
  if (empty !== undefined && Array.isArray(of.data) && of.data.length === 0) return <Empty>{empty}</Empty>
  return (
    <>
      {of.error && <FailureNotice failure={of.error} onRetry={() => void of.refetch()} />}
      {children(of.data)}
    </>
  )
}

type FactsProps = { of: readonly (readonly [word: string, value: ReactNode])[]; className?: string | undefined }

/** Terms and their values, side by side where there is room. */
export const Facts = ({ of, className = '' }: FactsProps) => (
  <dl className={`${layout['columns']} ${className}`}>
    {of.map(([word, value]) => (
      <div key={word}>
        <dt className={layout['note']}>{word}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** The progress of long work; indeterminate where `total` is 0. */
export function Progress({ label, done, total }: { label: string; done: number; total: number }) {
  const { t } = useTranslation('app')
  return (
    <div>
      <p>
        {label} <span role="status">{total > 0 ? t('state.done', { done, total }) : ''}</span>
      </p>
      <ProgressBar label={label} done={done} total={total} />
    </div>
  )
}

/** `label`: its name for screen readers. */
export const ProgressBar = ({ label, done, total }: { label: string; done: number; total: number }) => (
  <progress className={styles['bar']} aria-label={label} {...(total > 0 && { value: done, max: total })} />
)
