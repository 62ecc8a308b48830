import type { UseQueryResult } from '@tanstack/react-query'
import { type ComponentProps, type ReactNode, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { sentenceOf } from '../words/failure.ts'
import { Button } from './button.tsx'
import styles from './page.module.css'

type Tone = 'info' | 'good' | 'warn' | 'bad'
type PageProps = { title: string; lead?: ReactNode; actions?: ReactNode; wide?: boolean; children: ReactNode }

/** One page: its title (also the window's), what to know about it, what can be done with the whole of it. */
export function Page({ title, lead, actions, wide = false, children }: PageProps) {
  const { t } = useTranslation('app')
  useEffect(() => {
    document.title = `${title} – ${t('name')}`
  }, [title, t])
  return (
    <div className={wide ? `${styles['page']} ${styles['wide']}` : styles['page']}>
      <header className={styles['head']}>
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          {lead && <p className={styles['lead']}>{lead}</p>}
        </div>
        {actions && <div className={styles['actions']}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** A part of a page with a heading of its own. */
export function Card({ title, actions, children }: { title?: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles['card']} aria-label={title}>
      {(title || actions) && (
        <div className={styles['cardHead']}>
          {title && <h2>{title}</h2>}
          {actions && <div className={styles['actions']}>{actions}</div>}
        </div>
      )}
      {children}
    </section>
  )
}

/** A sentence that has to be seen, in its place on the page. */
export const Notice = ({ tone = 'info', children }: { tone?: Tone; children: ReactNode }) => (
  <div className={`${styles['notice']} ${styles[tone] ?? ''}`} role={tone === 'bad' ? 'alert' : 'status'}>
    {children}
  </div>
)

/** A word or two beside a name. Never colour alone: the word says it. */
export const Badge = ({ tone, children, ...rest }: { tone?: Tone; children: ReactNode } & ComponentProps<'span'>) => (
  <span {...rest} className={`${styles['badge']} ${styles[tone ?? ''] ?? ''}`}>
    {children}
  </span>
)

export const Empty = ({ children }: { children?: ReactNode }) => {
  const { t } = useTranslation('app')
  return <div className={styles['empty']}>{children ?? t('state.empty')}</div>
}

/** What failed, as a sentence, and another try. */
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
    <div className={styles['loading']} role="status">
      <span>{t('state.loading')}</span>
      <span className={styles['coming']} aria-hidden="true" />
    </div>
  )
}

/**
 * What a query brought: `<Answer of={query}>{(terms) => …}</Answer>`. While it is on its way it says so; where it failed, why, with another
 * try; what was there before stays in sight. `empty` stands in place of a list without rows.
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

/** A table that scrolls by itself where it is wider than the page; `label` names it for who cannot see it. */
export const Table = ({ label, children }: { label: string; children: ReactNode }) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms; a region would be one landmark too many beside its card.
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1).
  <div role="group" className={styles['scroller']} aria-label={label} tabIndex={0}>
    <table className={styles['table']}>{children}</table>
  </div>
)
/** Cells of figures stand right, digit below digit. */
export const numberCell = styles['number'] ?? ''

/** How far long work is. Without `total` it only says that it goes on. */
export function Progress({ label, done, total }: { label: string; done: number; total: number }) {
  const { t } = useTranslation('app')
  return (
    <div>
      <p>
        {label} <span role="status">{total > 0 ? t('state.done', { done, total }) : ''}</span>
      </p>
      <progress className={styles['bar']} aria-label={label} {...(total > 0 && { value: done, max: total })} />
    </div>
  )
}
