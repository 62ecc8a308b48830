import { useTranslation } from 'react-i18next'
import layout from '../../components/layout.module.css'
import { figure } from '../../words/format.ts'
import { FigureSign } from './class-tables.tsx'
import styles from './results.module.css'

/** A figure in a column of figures: digit below digit, whether or not it has the sign of a partial result. */
export const SignedFigure = ({ value, isPartial }: { value: number | null; isPartial: boolean }) => (
  <>
    {figure(value)}
    <span className={styles['place']}>{isPartial && <FigureSign of="partial" />}</span>
  </>
)

/** What † means, under figures some of which have it. */
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
