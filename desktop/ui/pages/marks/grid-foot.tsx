// biome-ignore-all lint/a11y/useSemanticElements: a table draws all its rows, and has no keyboard of its own (decision 320).
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the keyboard, and says where it is (aria-activedescendant).
import type { Assessment } from '@markbook/shared/contract/assessments'
import { useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { figure } from '../../words/format.ts'
import { type Sizes, useGrid } from './grid-parts.ts'
import { FIGURE_KEYS, type InSight } from './grid-row.tsx'
import styles from './marks.module.css'

type Props = { rows: number; columns: readonly Assessment[]; inSight: InSight; sizes: Sizes }

/** The class's averages: of each assessment in its own marks, of the figures in percent. */
export function GridFoot({ rows, columns, inSight: { first, last }, sizes }: Props) {
  const { t } = useTranslation('marks')
  const { sheet } = useGrid()
  const footer = useSyncExternalStore(
    (ear) => sheet.listen('footer', ear),
    () => sheet.footerNow(),
  )
  const figures = [figure(footer.coursework), figure(footer.exam), figure(footer.composite), '']
  return (
    <div role="rowgroup" className={styles['foot']} style={{ height: sizes.foot }}>
      <div role="row" aria-rowindex={rows + 2} className={styles['headRow']}>
        <div role="rowheader" aria-colindex={1} className={styles['corner1']} style={{ width: sizes.name }}>
          {t('average')}
        </div>
        <div role="presentation" className={styles['cells']} style={{ width: columns.length * sizes.column }}>
          {columns.slice(first, last + 1).map(({ id }, at) => (
            <div
              key={id}
              role="gridcell"
              aria-colindex={first + at + 2}
              className={styles['footCell']}
              style={{ left: (first + at) * sizes.column, width: sizes.column }}
            >
              {figure(footer.columns[first + at] ?? null)}
            </div>
          ))}
        </div>
        <div role="presentation" className={styles['figures']} style={{ width: figures.length * sizes.figure }}>
          {figures.map((text, at) => (
            <div
              key={FIGURE_KEYS[at]}
              role="gridcell"
              aria-colindex={columns.length + at + 2}
              className={styles['figure']}
              style={{ width: sizes.figure }}
            >
              {text}
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}
