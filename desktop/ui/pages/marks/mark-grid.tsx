// biome-ignore-all lint/a11y/useSemanticElements: a table renders all its rows and handles no keys (docs/design/app.md).
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names the active cell by aria-activedescendant.

import type { Assessment } from '@markbook/shared/contract/assessments'
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import type { TFunction } from 'i18next'
import ChevronDown from 'lucide-react/icons/chevron-down'
import ChevronLeft from 'lucide-react/icons/chevron-left'
import ChevronRight from 'lucide-react/icons/chevron-right'
import { memo, type RefObject, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon, type IconShape } from '../../components/icon.tsx'
import { isFocusFree } from '../../frame/free-focus.ts'
import { isRightToLeft } from '../../words/direction.ts'
import { figure, number } from '../../words/format.ts'
import {
  cellId,
  fitColumns,
  type Grid,
  GridContext,
  type GridMetrics,
  useCellMode,
  useGrid,
  useLayout,
  useSheetValue,
  useWidth,
} from './grid-context.ts'
import { type FingerStart, pointerHandlers, positionOf } from './grid-pointer.ts'
import { FIGURE_KEYS, GridRow, type VisibleColumns } from './grid-row.tsx'
import styles from './marks.module.css'
import { type CellPosition, type GridSize, inReadingDirection, isInRange } from './model/navigation.ts'
import type { CellEdit, GridSelection } from './model/selection.ts'

declare module 'react' {
  interface CSSProperties {
    '--text-scale'?: number
  }
}

type Props = {
  grid: Grid
  sizes: GridMetrics
  label: string
  root: RefObject<HTMLDivElement | null>
  /** Opens the menu of a cell; in the header row that of the assessment. */
  onMenu: (position: CellPosition) => void
  /** The panel beside the grid is open and makes it narrower, so that the active cell must be scrolled into view. */
  hasPanel: boolean
}

/**
 * The grid of pupils and assessments. The grid element has the focus and names the active cell by `aria-activedescendant`. Renders only the
 * visible rows and columns, and those of the active cell, whose editor must exist wherever the grid is scrolled. A key renders only the
 * cells that it changes.
 */
export function MarkGrid({ grid, sizes: given, label, root, onMenu, hasPanel }: Props) {
  const { i18n } = useTranslation('marks')
  const { sheet, selection, controller } = grid
  const { pupils, columns } = useLayout(sheet)
  const width = useWidth(root, hasPanel || given.isNarrow)
  const sizes = useMemo(
    () => (width === null ? given : fitColumns(given, columns.length, FIGURE_KEYS.length, width)),
    [given, columns.length, width],
  )
  const finger = useRef<FingerStart>(null)
  const rendered = useMemo(() => renderedWithActive(selection), [selection])
  const rowVirtualizer = useVirtualizer({
    count: pupils.length,
    rangeExtractor: rendered.rows,
    getScrollElement: () => root.current,
    estimateSize: () => sizes.row,
    initialRect: expectedRect(),
    scrollMargin: sizes.head,
    overscan: 6,
  })
  const columnVirtualizer = useVirtualizer({
    horizontal: true,
    isRtl: isRightToLeft(),
    count: columns.length,
    rangeExtractor: rendered.columns,
    getScrollElement: () => root.current,
    estimateSize: () => sizes.column,
    initialRect: expectedRect(),
    scrollMargin: sizes.name,
    overscan: 2,
  })
  const measured = useRef(sizes)
  useEffect(() => {
    if (measured.current === sizes) return
    measured.current = sizes
    rowVirtualizer.measure()
    columnVirtualizer.measure()
  }, [rowVirtualizer, columnVirtualizer, sizes])
  const visibleColumns = columnVirtualizer.getVirtualItems()
  const first = visibleColumns[0]?.index ?? 0
  const last = visibleColumns.at(-1)?.index ?? -1
  const visible = useMemo(() => ({ first, last }), [first, last])
  useScrollToActive(grid, sizes, root, hasPanel)
  useInitialFocus(root)
  // One more pixel is the border before the figures.
  const total = sizes.name + columns.length * sizes.column + FIGURE_KEYS.length * sizes.figure + 1
  return (
    <GridContext value={grid}>
      <div
        ref={root}
        role="grid"
        tabIndex={0}
        aria-label={label}
        aria-rowcount={pupils.length + 2}
        aria-colcount={columns.length + FIGURE_KEYS.length + 1}
        aria-multiselectable="true"
        aria-readonly={grid.isReadOnly}
        className={sizes.isNarrow ? `${styles['grid']} ${styles['narrow']}` : styles['grid']}
        style={{ '--text-scale': sizes.text }}
        onKeyDown={(event) => {
          if (controller.handleKey(inReadingDirection(event.nativeEvent, isRightToLeft()))) event.preventDefault()
        }}
        onFocus={() => selection.setFocused(true)}
        onBlur={({ relatedTarget }) => selection.setFocused(root.current?.contains(relatedTarget) ?? false)}
        onCopy={(event) => {
          if (selection.editing || selection.active.row < 0) return
          event.clipboardData.setData('text/plain', controller.block.copy())
          event.preventDefault()
          controller.block.tellCopied(true)
        }}
        onCut={(event) => {
          if (selection.editing || selection.active.row < 0) return
          event.clipboardData.setData('text/plain', controller.block.cut())
          event.preventDefault()
        }}
        onPaste={(event) => {
          if (selection.editing && !/[\t\n]/.test(event.clipboardData.getData('text/plain').trim())) return
          event.preventDefault()
          if (selection.editing) controller.cancelEdit()
          controller.block.paste(event.clipboardData.getData('text/plain'))
        }}
        onContextMenu={(event) => {
          const position = positionOf(event.target)
          // The field of the editor has the browser's menu for texts.
          if (!position || event.target instanceof HTMLInputElement) return
          event.preventDefault()
          controller.commitEdit(true)
          if (position.row >= 0 && !isInRange(selection.range(), position.row, position.col)) selection.moveTo(position)
          onMenu(position)
        }}
        {...pointerHandlers(grid, finger)}
      >
        <div role="presentation" style={{ width: total }}>
          <GridHead columns={columns} visible={visible} sizes={sizes} onMenu={onMenu} />
          <div role="rowgroup" className={styles['body']} style={{ height: pupils.length * sizes.row }}>
            {rowVirtualizer.getVirtualItems().map(({ index }) => {
              const pupil = pupils[index]
              return (
                pupil && (
                  <GridRow
                    key={pupil.id}
                    row={index}
                    pupil={pupil}
                    columns={columns}
                    visible={visible}
                    sizes={sizes}
                    language={i18n.language}
                  />
                )
              )
            })}
          </div>
          <GridFoot rows={pupils.length} columns={columns} visible={visible} sizes={sizes} />
        </div>
      </div>
    </GridContext>
  )
}

/** An estimate of the grid's size, so that the first rows are rendered before it is measured, and not again afterwards. */
const expectedRect = () => ({ width: window.innerWidth, height: Math.max(0, window.innerHeight - ROOM_OF_THE_REST) })
/** The height of the frame, of the head of the page and of what is below the grid, in px. */
const ROOM_OF_THE_REST = 180

/** The indices to render. Columns are one interval, so that a row can slice them. */
const renderedWithActive = (selection: GridSelection) => ({
  rows: (range: Range): number[] => {
    const { row } = selection.active
    const rows = defaultRangeExtractor(range)
    return row < 0 || row >= range.count || rows.includes(row) ? rows : [...rows, row].sort((a, b) => a - b)
  },
  columns: (range: Range): number[] => {
    const { col } = selection.active
    const isMark = col < range.count
    return defaultRangeExtractor({
      ...range,
      startIndex: isMark ? Math.min(range.startIndex, col) : range.startIndex,
      endIndex: isMark ? Math.max(range.endIndex, col) : range.endIndex,
    })
  },
})

/** Scrolls the active cell into view and sets `aria-activedescendant`. */
function useScrollToActive(
  { selection, controller, id }: Grid,
  sizes: GridMetrics,
  root: RefObject<HTMLDivElement | null>,
  hasPanel: boolean,
): void {
  useLayoutEffect(() => {
    let shown: { active: CellPosition; editing: CellEdit | null } | null = null
    const follow = () => {
      const element = root.current
      const { active, editing } = selection
      if (element) element.dataset['swipes'] = String(editing?.staysOpen ?? false)
      // An editor that opens is scrolled into view, even if its cell was active already and the grid was scrolled away.
      if (!element || (shown?.active === active && (editing === null || shown.editing === editing))) return
      shown = { active, editing }
      const { row, col } = selection.active
      element.setAttribute('aria-activedescendant', cellId(id, row, col))
      controller.visibleRows = Math.max(1, Math.floor((element.clientHeight - sizes.head - sizes.foot) / sizes.row))
      // A press that scrolls would put another row under the pointer for the second click of a double click.
      if (!selection.isPressed || editing) reveal(element, { row, col }, controller.size(), sizes)
    }
    follow()
    // A notice below the grid makes it lower; the edited cell must stay visible.
    const resized = new ResizeObserver(() => {
      if (root.current && (hasPanel || root.current.contains(document.activeElement)))
        reveal(root.current, selection.active, controller.size(), sizes)
    })
    if (root.current) resized.observe(root.current)
    const stop = selection.subscribe(follow)
    return () => {
      resized.disconnect()
      stop()
    }
  }, [selection, controller, id, sizes, root, hasPanel])
}

/** Scrolls so that the rows before and after the active one are visible too. */
function reveal(element: HTMLElement, { row, col }: CellPosition, { rows, marks }: GridSize, sizes: GridMetrics): void {
  if (row >= 0) {
    const top = Math.max(0, row - 1) * sizes.row
    const bottom = Math.min(rows, row + 2) * sizes.row
    const room = element.clientHeight - sizes.head - sizes.foot
    if (top < element.scrollTop) element.scrollTop = top
    else if (bottom > element.scrollTop + room) element.scrollTop = bottom - room
  }
  const isFigure = col >= marks
  const beside = sizes.isNarrow ? 0 : FIGURE_KEYS.length * sizes.figure
  if (isFigure && !sizes.isNarrow) return
  const start = isFigure ? marks * sizes.column + (col - marks) * sizes.figure : col * sizes.column
  const width = isFigure ? sizes.figure : sizes.column
  const room = element.clientWidth - sizes.name - beside
  // In right-to-left pages scrollLeft begins at 0 and is negative.
  const sign = isRightToLeft() ? -1 : 1
  const scrolled = element.scrollLeft * sign
  if (start < scrolled) element.scrollLeft = start * sign
  else if (start + width > scrolled + room) element.scrollLeft = (start + width - room) * sign
}

/** Focuses the grid unless another element of the page has the focus, so that marks can be typed at once. */
function useInitialFocus(root: RefObject<HTMLDivElement | null>) {
  useEffect(() => {
    const timer = setTimeout(() => {
      if (isFocusFree()) root.current?.focus({ preventScroll: true })
    })
    return () => clearTimeout(timer)
  }, [root])
}

type HeadProps = Pick<Props, 'sizes' | 'onMenu'> & { columns: readonly Assessment[]; visible: VisibleColumns }

const GridHead = memo(function GridHead({ columns, visible: { first, last }, sizes, onMenu }: HeadProps) {
  const { t } = useTranslation('marks')
  return (
    <div role="rowgroup" className={styles['head']} style={{ height: sizes.head }}>
      <div role="row" aria-rowindex={1} className={styles['headRow']}>
        <div role="columnheader" aria-colindex={1} className={styles['corner1']} style={{ width: sizes.name }}>
          {t('pupil')}
          {sizes.isNarrow && <Steps />}
        </div>
        <div role="presentation" className={styles['cells']} style={{ width: columns.length * sizes.column }}>
          {columns.slice(first, last + 1).map((column, at) => (
            <Head key={column.id} column={column} col={first + at} width={sizes.column} onMenu={onMenu} t={t} />
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
})

/**
 * Buttons for the next and the former assessment, like a swipe, and for the next pupil, since the keypad of an iPhone has no Next. They
 * leave the focus in the field, so that the on-screen keyboard stays open.
 */
function Steps() {
  const { t } = useTranslation('marks')
  const { controller } = useGrid()
  const button = (label: string, shape: IconShape, go: () => void) => (
    <button
      type="button"
      tabIndex={-1}
      className={styles['step']}
      aria-label={label}
      onMouseDown={(event) => event.preventDefault()}
      onClick={go}
    >
      <Icon of={shape} />
    </button>
  )
  return (
    <span className={styles['steps']}>
      {button(t('assessment.before'), ChevronLeft, () => controller.moveAssessment(-1))}
      {button(t('assessment.next'), ChevronRight, () => controller.moveAssessment(1))}
      {button(t('nextPupil'), ChevronDown, () => controller.moveDown())}
    </span>
  )
}

type ColumnHeadProps = Pick<Props, 'onMenu'> & { column: Assessment; col: number; width: number; t: TFunction<'marks'> }

/** The header of an assessment: title, type, maximum, weight and menu button. */
function Head({ column, col, width, onMenu, t }: ColumnHeadProps) {
  const { selection, id } = useGrid()
  const mode = useCellMode(selection, -1, col)
  const { title, assessment_type, max_score, weight, is_excluded, exclusion_reason } = column
  const most = t('max', { max: number(max_score) })
  const type = t(`type.${assessment_type}`)
  const inWords = [title, type, most, ...(weight === null ? [] : [t('weight', { weight: number(weight) })])]
  if (is_excluded) inWords.push(exclusion_reason ? t('leftOutBecause', { reason: exclusion_reason }) : t('leftOut'))
  const uncounted = is_excluded ? t('leftOut') : weight === 0 && t('weight', { weight: number(weight) })
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
      style={{ insetInlineStart: col * width, width }}
      title={inWords.join(' · ')}
    >
      <button
        type="button"
        tabIndex={-1}
        className={styles['headButton']}
        aria-haspopup="menu"
        aria-label={t('columnMenu', { title })}
        onClick={() => onMenu({ row: -1, col })}
      >
        <span className={styles['headTitle']} dir="auto">
          {title}
        </span>
        <span className={styles['headSign']} aria-hidden="true">
          ▾
        </span>
      </button>
      <span className={styles['headDetail']}>{uncounted ? `⊘ ${uncounted}` : type}</span>
      <span className={styles['headDetail']}>{weight ? `${most} ${t('weightShort', { weight: number(weight) })}` : most}</span>
    </div>
  )
}

type FootProps = { rows: number; columns: readonly Assessment[]; visible: VisibleColumns; sizes: GridMetrics }

/** The means of the class: of an assessment in its own points, of the figures in percent. */
const GridFoot = memo(function GridFoot({ rows, columns, visible: { first, last }, sizes }: FootProps) {
  const { t } = useTranslation('marks')
  const { sheet } = useGrid()
  const footer = useSheetValue(sheet, 'footer', sheet.getFooter)
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
              style={{ insetInlineStart: (first + at) * sizes.column, width: sizes.column }}
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
})
