import { useTranslation } from 'react-i18next'
import layout from '../../components/layout.module.css'
import { figure } from '../../words/format.ts'
import styles from './results.module.css'

export const signs = { partial: '†', review: '⚑' } as const

/** The sign beside a result that is partial or under review. */
export function FigureSign({ of, says }: { of: keyof typeof signs; says?: string }) {
  const { t } = useTranslation('results')
  const words = says ?? t(`sign.${of}`)
  return (
    <span className={styles['sign']} title={words}>
      <span aria-hidden="true">{signs[of]}</span>
      <span className="hidden"> ({words})</span>
    </span>
  )
}

type SignedProps = { value: number | null; isPartial: boolean; isStrong?: boolean }

/** A figure in a column, aligned with the others whether or not it has the sign of a partial result. */
export const SignedFigure = ({ value, isPartial, isStrong }: SignedProps) => (
  <>
    {isStrong ? <strong>{figure(value)}</strong> : figure(value)}
    <span className={styles['place']}>{isPartial && <FigureSign of="partial" />}</span>
  </>
)

/** The meaning of †, below figures of which some have it. */
export function PartialLegend() {
  const { t } = useTranslation('results')
  return (
    <p className={layout['legend']}>
      <span>
        <span className={styles['sign']}>†</span> {t('sign.partial')}
      </span>
    </p>
  )
}
