// biome-ignore-all lint/a11y/useSemanticElements: a table draws all its rows, and has no keyboard of its own (decision 320).
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the keyboard, and says where it is (aria-activedescendant).
import type { Assessment } from '@markbook/shared/contract/assessments'
import { memo } from 'react'
import { editable } from '../../words/format.ts'
import { type Signs, signsOf } from './cell-signs.ts'
import { cellId, useCell, useGrid, useMode } from './grid-parts.ts'
import { MarkField } from './mark-field.tsx'
import styles from './marks.module.css'
import type { Pupil } from './model/sheet.ts'

type Props = { row: number; col: number; left: number; width: number; pupil: Pupil; column: Assessment; language: string }

/** One mark. It hears of its own changes and of nothing else. */
export const MarkCell = memo(function MarkCell({ row, col, left, width, pupil, column }: Props) {
  const { sheet, cursor, id } = useGrid()
  const cell = useCell(sheet, column.id, pupil.id)
  const mode = useMode(cursor, row, col)
  const signs = signsOf(cell, column)
  return (
    <div
      id={cellId(id, row, col)}
      role="gridcell"
      aria-colindex={col + 2}
      aria-selected={mode !== 'none'}
      data-row={row}
      data-col={col}
      data-mode={mode}
      data-look={signs.look}
      className={styles['cell']}
      style={{ left, width }}
    >
      {mode === 'editing' ? <MarkField cell={cell} pupil={pupil} column={column} /> : <Shown signs={signs} />}
    </div>
  )
})

/** The sign says what the colour says, and the hidden words what the sign says. */
function Shown({ signs: { sign, text, score, hidden, hasRemark, isLeftOut } }: { signs: Signs }) {
  return (
    <>
      {sign && (
        <span className={styles['sign']} aria-hidden="true">
          {sign}
        </span>
      )}
      <span className={isLeftOut ? styles['struck'] : undefined} aria-hidden={score === null && text === null ? true : undefined}>
        {text ?? (score === null ? '–' : editable(score))}
      </span>
      {hidden && <span className="hidden">{hidden}</span>}
      {hasRemark && <span className={styles['corner']} aria-hidden="true" />}
    </>
  )
}
