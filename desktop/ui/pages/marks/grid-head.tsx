// biome-ignore-all lint/a11y/useSemanticElements: a table draws all its rows, and has no keyboard of its own (decision 320).
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the keyboard, and says where it is (aria-activedescendant).
import type { Assessment } from '@markbook/shared/contract/assessments'
import { useTranslation } from 'react-i18next'
import { number } from '../../words/format.ts'
import { cellId, type Sizes, useGrid, useMode } from './grid-parts.ts'
import { FIGURE_KEYS, type InSight } from './grid-row.tsx'
import styles from './marks.module.css'

type Props = { columns: readonly Assessment[]; inSight: InSight; sizes: Sizes; onColumn: (col: number) => void }

export function GridHead({ columns, inSight: { first, last }, sizes, onColumn }: Props) {
  const { t } = useTranslation('marks')
  return (
    <div role="rowgroup" className={styles['head']} style={{ height: sizes.head }}>
      <div role="row" aria-rowindex={1} className={styles['headRow']}>
        <div role="columnheader" aria-colindex={1} className={styles['corner1']} style={{ width: sizes.name }}>
          {t('pupil')}
        </div>
        <div role="presentation" className={styles['cells']} style={{ width: columns.length * sizes.column }}>
          {columns.slice(first, last + 1).map((column, at) => (
            <Head key={column.id} column={column} col={first + at} width={sizes.column} onColumn={onColumn} />
          ))}
        </div>
        <div role="presentation" className={styles['figures']} style={{ width: FIGURE_KEYS.length * sizes.figure }}>
          {FIGURE_KEYS.map((key, at) => (
            <div
              key={key}
              role="columnheader"
              aria-colindex={columns.length + at + 2}
              className={styles['figureHead']}
              style={{ width: sizes.figure }}
            >
              {t(key)}
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}

/** An assessment: its title, of what kind and how much, and a menu. */
function Head({ column, col, width, onColumn }: { column: Assessment; col: number; width: number; onColumn: (col: number) => void }) {
  const { t } = useTranslation('marks')
  const { cursor, id } = useGrid()
  const mode = useMode(cursor, -1, col)
  const { title, assessment_type, max_score, weight, is_excluded, exclusion_reason } = column
  const leftOut = exclusion_reason ? t('leftOutBecause', { reason: exclusion_reason }) : t('leftOut')
  const details = [t(`type.${assessment_type}`), t('max', { max: number(max_score) })]
  if (weight !== null) details.push(t('weight', { weight: number(weight) }))
  return (
    <div
      id={cellId(id, -1, col)}
      role="columnheader"
      aria-colindex={col + 2}
      data-row={-1}
      data-col={col}
      data-mode={mode}
      data-excluded={is_excluded}
      className={styles['columnHead']}
      style={{ left: col * width, width }}
      title={[title, ...details, ...(is_excluded ? [leftOut] : [])].join(' · ')}
    >
      <button
        type="button"
        tabIndex={-1}
        className={styles['headButton']}
        aria-haspopup="menu"
        aria-label={t('columnMenu', { title })}
        onClick={() => onColumn(col)}
      >
        <span className={styles['headTitle']}>{title}</span>
        <span className={styles['headSign']} aria-hidden="true">
          ▾
        </span>
      </button>
      {(is_excluded ? [`⊘ ${t('leftOut')}`, ...details.slice(1)] : details).map((detail) => (
        <span key={detail} className={styles['headDetail']}>
          {detail}
        </span>
      ))}
    </div>
  )
}
