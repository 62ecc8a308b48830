// biome-ignore-all lint/a11y/useSemanticElements: a table draws all its rows, and has no keyboard of its own (decision 320).
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the keyboard, and says where it is (aria-activedescendant).
import type { Assessment } from '@markbook/shared/contract/assessments'
import { memo, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { figure } from '../../words/format.ts'
import { cellId, type Sizes, useGrid, useMode } from './grid-parts.ts'
import { MarkCell } from './mark-cell.tsx'
import styles from './marks.module.css'
import type { Pupil } from './model/sheet.ts'

/** Columns in sight, from the first to the last of these numbers. */
export type InSight = { first: number; last: number }
type Props = { row: number; pupil: Pupil; columns: readonly Assessment[]; inSight: InSight; sizes: Sizes; language: string }

/** A pupil, their marks in sight, and what follows from all of them. */
export const GridRow = memo(function GridRow({ row, pupil, columns, inSight: { first, last }, sizes, language }: Props) {
  const { name, column: width } = sizes
  return (
    <div role="row" aria-rowindex={row + 2} className={styles['row']} style={{ top: row * sizes.row, height: sizes.row }}>
      <div
        role="rowheader"
        aria-colindex={1}
        className={styles['name']}
        style={{ width: name }}
        title={`${pupil.last_name} ${pupil.first_name}`}
      >
        <span className={styles['last']}>{pupil.last_name}</span> <span className={styles['firstName']}>{pupil.first_name}</span>
      </div>
      <div role="presentation" className={styles['cells']} style={{ width: columns.length * width }}>
        {columns.slice(first, last + 1).map((column, at) => (
          <MarkCell
            key={column.id}
            row={row}
            col={first + at}
            left={(first + at) * width}
            width={width}
            pupil={pupil}
            column={column}
            language={language}
          />
        ))}
      </div>
      <Figures row={row} pupil={pupil} marks={columns.length} sizes={sizes} />
    </div>
  )
})

/** Live: they follow every mark as it is typed. */
function Figures({ row, pupil, marks, sizes }: { row: number; pupil: Pupil; marks: number; sizes: Sizes }) {
  const { sheet } = useGrid()
  const { t } = useTranslation('marks')
  const { coursework_average, exam_average, term_composite, is_partial, letter } = useSyncExternalStore(
    (ear) => sheet.listen(pupil.id, ear),
    () => sheet.figuresOf(pupil.id),
  )
  const texts = [figure(coursework_average), figure(exam_average), figure(term_composite), letter ?? '–']
  return (
    <div role="presentation" className={styles['figures']} style={{ width: texts.length * sizes.figure }}>
      {texts.map((text, at) => (
        <Figure key={FIGURE_KEYS[at]} row={row} col={marks + at} width={sizes.figure} isStrong={at > 1}>
          {text}
          {at === 2 && is_partial && (
            <>
              <span aria-hidden="true">†</span>
              <span className="hidden">, {t('partial')}</span>
            </>
          )}
        </Figure>
      ))}
    </div>
  )
}

export const FIGURE_KEYS = ['coursework', 'exam', 'composite', 'letter'] as const

type FigureProps = { row: number; col: number; width: number; isStrong: boolean; children: React.ReactNode }
function Figure({ row, col, width, isStrong, children }: FigureProps) {
  const { cursor, id } = useGrid()
  const mode = useMode(cursor, row, col)
  return (
    <div
      id={cellId(id, row, col)}
      role="gridcell"
      aria-readonly="true"
      aria-colindex={col + 2}
      aria-selected={mode !== 'none'}
      data-row={row}
      data-col={col}
      data-mode={mode}
      className={isStrong ? `${styles['figure']} ${styles['strong']}` : styles['figure']}
      style={{ width }}
    >
      {children}
    </div>
  )
}
