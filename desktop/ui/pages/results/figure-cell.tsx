import { useTranslation } from 'react-i18next'
import { figure } from '../../words/format.ts'
import styles from './results.module.css'

type Flags = { isPartial?: boolean; isUnderReview?: boolean }

/** Signs beside a figure that does not stand on everything; each has its words. */
export function Signs({ isPartial = false, isUnderReview = false }: Flags) {
  const { t } = useTranslation('results')
  return (
    <>
      {isPartial && (
        <span className={styles['sign']} title={t('sign.partial')}>
          <span aria-hidden="true">†</span>
          <span className="hidden"> ({t('sign.partial')})</span>
        </span>
      )}
      {isUnderReview && (
        <span className={styles['sign']} title={t('sign.review')}>
          <span aria-hidden="true">⚑</span>
          <span className="hidden"> ({t('sign.review')})</span>
        </span>
      )}
    </>
  )
}

type Props = Flags & { value: number | null; letter: string | null; passMark: number; label: string; onExplain?: (() => void) | undefined }

/** A figure with its letter; pressed, it shows its working. Under the pass mark it is underlined, not only coloured. */
export function FigureCell({ value, letter, passMark, label, onExplain, ...flags }: Props) {
  const shown = (
    <>
      <span className={value !== null && value < passMark ? styles['under'] : undefined}>{figure(value)}</span>
      <span className={styles['signs']}>
        <Signs {...flags} />
      </span>
      <span className={styles['letter']}>{letter}</span>
    </>
  )
  if (!onExplain || value === null) return <span className={styles['figure']}>{shown}</span>
  return (
    <button type="button" className={styles['figure']} title={label} onClick={onExplain}>
      {shown}
    </button>
  )
}

/** What the signs of a table mean, where it has any. */
export function Legend({ hasPartial, hasReview, hasUnder }: { hasPartial: boolean; hasReview: boolean; hasUnder: boolean }) {
  const { t } = useTranslation('results')
  if (!hasPartial && !hasReview && !hasUnder) return null
  return (
    <p className={styles['legend']}>
      {hasUnder && (
        <span>
          <span className={styles['under']}>00.00</span> {t('sign.under')}
        </span>
      )}
      {hasPartial && (
        <span>
          <span className={styles['sign']}>†</span> {t('sign.partial')}
        </span>
      )}
      {hasReview && (
        <span>
          <span className={styles['sign']}>⚑</span> {t('sign.review')}
        </span>
      )}
    </p>
  )
}
