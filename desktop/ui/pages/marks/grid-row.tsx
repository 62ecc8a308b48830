// biome-ignore-all lint/a11y/useSemanticElements: a table renders all its rows and handles no keys (docs/design/app.md).
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names the active cell by aria-activedescendant.
import type { Assessment } from '@markbook/shared/contract/assessments'
import { memo, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import layout from '../../components/layout.module.css'
import { isRightToLeft } from '../../words/direction.ts'
import { editable, figure } from '../../words/format.ts'
import { nameInGrid } from '../../words/names.ts'
import { appearanceOf, type CellAppearance, markText } from './cell-appearance.ts'
import { cellId, type GridMetrics, useGrid, useSelectionOf, useSheetValue } from './grid-context.ts'
import styles from './marks.module.css'
import { cellValueOf } from './model/cell-value.ts'
import type { Pupil } from './model/closed-cells.ts'
import type { RowFigures } from './model/figures.ts'
import { isSavedMeanwhile } from './model/mark-values.ts'
import { inReadingDirection } from './model/navigation.ts'
import { parseMark } from './model/parse-mark.ts'
import type { CellMode } from './model/selection.ts'
import { type Cell, rowPart } from './model/sheet.ts'
import { valueText } from './model/value-text.ts'

/** The indices of the first and last visible column. */
export type VisibleColumns = { first: number; last: number }
type Props = { row: number; pupil: Pupil; columns: readonly Assessment[]; visible: VisibleColumns; sizes: GridMetrics; language: string }

/**
 * The row of a pupil: visible marks and figures. It subscribes to its marks and to the selection, and passes each cell its own values. So a
 * change renders one cell, and the page has one subscription for each row.
 */
export const GridRow = memo(function GridRow({ row, pupil, columns, visible: { first, last }, sizes, language }: Props) {
  const { name, column: width } = sizes
  const { sheet, selection } = useGrid()
  const cells = useSheetValue(sheet, rowPart(pupil.id), () => sheet.row(pupil.id))
  useSelectionOf(selection, row)
  return (
    <div role="row" aria-rowindex={row + 2} className={styles['row']} style={{ top: row * sizes.row, height: sizes.row }}>
      <div role="rowheader" aria-colindex={1} className={styles['name']} style={{ width: name }} title={nameInGrid(pupil)}>
        <span className={styles['last']}>{pupil.last_name}</span> <span className={layout['soft']}>{pupil.first_name}</span>
        {pupil.class && <span className={layout['soft']}> · {pupil.class.name}</span>}
      </div>
      <div role="presentation" className={styles['cells']} style={{ width: columns.length * width }}>
        {columns.slice(first, last + 1).map((column, at) => {
          const col = first + at
          const mode = selection.modeOf(row, col)
          return (
            <MarkCell
              key={column.id}
              row={row}
              col={col}
              width={width}
              pupil={pupil}
              column={column}
              cell={cells[col] as Cell}
              mode={mode}
              language={language}
            />
          )
        })}
      </div>
      <Figures row={row} pupil={pupil} marks={columns.length} sizes={sizes} />
    </div>
  )
})

/** The figures of a pupil, from the marks on the page. */
function Figures({ row, pupil, marks, sizes }: { row: number; pupil: Pupil; marks: number; sizes: GridMetrics }) {
  const { sheet, selection, id } = useGrid()
  const figures = useSheetValue(sheet, pupil.id, () => sheet.figuresOf(pupil.id))
  const texts = figureTexts(figures)
  return (
    <div role="presentation" className={styles['figures']} style={{ width: texts.length * sizes.figure }}>
      {texts.map((text, at) => {
        const col = marks + at
        const mode = selection.modeOf(row, col)
        return (
          <div
            key={FIGURE_KEYS[at]}
            id={cellId(id, row, col)}
            role="gridcell"
            aria-readonly="true"
            aria-colindex={col + 2}
            aria-selected={mode !== 'none'}
            data-row={row}
            data-col={col}
            data-mode={mode}
            className={styles['figure']}
            style={{ width: sizes.figure }}
          >
            {at === LETTER ? <bdi>{text}</bdi> : text}
            {at === 2 && figures.is_partial && <Partial />}
          </div>
        )
      })}
    </div>
  )
}

/** The sign beside a result for which some marks are missing. */
function Partial() {
  const { t } = useTranslation('marks')
  return (
    <>
      <span aria-hidden="true">†</span>
      <span className="hidden">, {t('partial')}</span>
    </>
  )
}

export const FIGURE_KEYS = ['coursework', 'exam', 'composite', 'letter'] as const
const LETTER = FIGURE_KEYS.indexOf('letter')
/** The figures of a pupil as texts, in the order of `FIGURE_KEYS`. */
export const figureTexts = ({ coursework_average, exam_average, term_composite, letter }: RowFigures) => [
  ...[coursework_average, exam_average, term_composite].map(figure),
  letter ?? '–',
]

/** `language`: the cell has words, and must be rendered again in another language. */
type CellProps = {
  row: number
  col: number
  width: number
  pupil: Pupil
  column: Assessment
  cell: Cell
  mode: CellMode
  language: string
}

const MarkCell = memo(function MarkCell({ row, col, width, pupil, column, cell, mode }: CellProps) {
  const { sheet, id } = useGrid()
  const appearance = appearanceOf(cell, column)
  const isOpen = sheet.isFor(column.id, pupil.id)
  return (
    <div
      id={cellId(id, row, col)}
      role="gridcell"
      aria-colindex={col + 2}
      aria-selected={mode !== 'none'}
      data-row={row}
      data-col={col}
      data-mode={mode}
      aria-readonly={isOpen ? undefined : 'true'}
      data-look={isOpen ? appearance.look : 'closed'}
      className={styles['cell']}
      style={{ insetInlineStart: col * width, width }}
    >
      {!isOpen ? <Closed /> : mode === 'editing' ? <MarkEditor cell={cell} pupil={pupil} column={column} /> : contentOf(appearance)}
    </div>
  )
})

/**
 * The sign repeats the colour, for readers who cannot see it; the hidden text repeats the sign for screen readers. Most cells have a score
 * only.
 */
function contentOf({ sign, text, value, hidden, hasRemark, isLeftOut }: CellAppearance) {
  const shown = text ?? (value === null ? '–' : valueText(value))
  if (typeof value === 'number' && text === null && !(sign || hidden || hasRemark || isLeftOut)) return shown
  return (
    <>
      {sign && (
        <span className={styles['sign']} aria-hidden="true">
          {sign}
        </span>
      )}
      <span dir="ltr" className={isLeftOut ? styles['struck'] : undefined} aria-hidden={value === null && text === null ? true : undefined}>
        {shown}
      </span>
      {hidden && <span className="hidden">{hidden}</span>}
      {hasRemark && <span className={styles['corner']} aria-hidden="true" />}
    </>
  )
}

/** A cell of another class's assessment, on the sheet of a teaching set. */
function Closed() {
  const { t } = useTranslation('marks')
  return <span className="hidden">{t('notForPupil')}</span>
}

/** Moves a message sideways where the grid would cut it. */
function keepInGrid(message: HTMLElement): void {
  message.style.translate = ''
  const grid = message.closest('[role="grid"]')?.getBoundingClientRect()
  const own = message.getBoundingClientRect()
  if (grid) message.style.translate = `${Math.min(0, grid.right - own.right - EDGE) + Math.max(0, grid.left + EDGE - own.left)}px`
}
/** Between a message and the edge of the grid, in px. */
const EDGE = 4

/** The editor of a cell, which validates during typing. */
function MarkEditor({ cell, pupil, column }: { cell: Cell; pupil: Pupil; column: Assessment }) {
  const { t } = useTranslation('marks')
  const { selection, controller, id } = useGrid()
  const field = useRef<HTMLInputElement>(null)
  const [editing] = useState(selection.editing)
  const [text, setText] = useState(editing?.typed ?? '')
  useLayoutEffect(() => {
    // A telephone scrolls the field above its keyboard by itself.
    field.current?.focus({ preventScroll: !editing?.staysOpen })
    // Only when a mark is changed: a typed character has replaced it already.
    if (editing?.caret) field.current?.select()
  }, [editing])
  const { sheet } = useGrid()
  const stored = cellValueOf(cell.saved)
  const typed = parseMark(text, column.max_score, sheet.codes, stored)
  const error = typed.kind === 'wrong' ? t(`wrong.${typed.reason}`, { max: editable(column.max_score) }) : null
  const meanwhile = editing && isSavedMeanwhile(cell, editing.seen) ? t('meanwhile', { name: t('somebody'), mark: markText(stored) }) : null
  const message = error ?? meanwhile
  const bubble = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    if (message && bubble.current) keepInGrid(bubble.current)
  }, [message])
  return (
    <>
      <input
        ref={field}
        className={styles['field']}
        value={text}
        inputMode="decimal"
        enterKeyHint="next"
        autoComplete="off"
        maxLength={40}
        aria-label={t('enter', { pupil: nameInGrid(pupil), title: column.title, max: editable(column.max_score) })}
        aria-invalid={typed.kind === 'wrong'}
        aria-describedby={message ? `${id}-message` : undefined}
        onChange={({ target }) => {
          if (selection.editing) selection.editing.typed = target.value
          setText(target.value)
        }}
        onKeyDown={(event) => {
          event.stopPropagation()
          if (controller.handleEditorKey(inReadingDirection(event.nativeEvent, isRightToLeft()))) event.preventDefault()
        }}
        onBlur={() => controller.commitEdit(true)}
      />
      {message && (
        <span ref={bubble} id={`${id}-message`} role="alert" className={styles['cellMessage']} data-tone={error ? 'bad' : 'warn'}>
          {message}
        </span>
      )}
    </>
  )
}
