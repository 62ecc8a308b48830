// biome-ignore-all lint/a11y/useSemanticElements: a table draws all its rows, and has no keyboard of its own (decision 320).
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the keyboard, and says where it is (aria-activedescendant).
import { useVirtualizer } from '@tanstack/react-virtual'
import { type PointerEvent, type RefObject, useEffect, useLayoutEffect, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { GridFoot } from './grid-foot.tsx'
import { GridHead } from './grid-head.tsx'
import { cellId, type Grid, GridContext, type Sizes, useLayout } from './grid-parts.ts'
import { FIGURE_KEYS, GridRow } from './grid-row.tsx'
import styles from './marks.module.css'
import type { Place, Size } from './model/moves.ts'

type Props = {
  grid: Grid
  sizes: Sizes
  label: string
  root: RefObject<HTMLDivElement | null>
  onMenu: (place: Place) => void
  onColumn: (col: number) => void
}

/**
 * Pupils by assessments. The keyboard stays with the grid itself, which says by `aria-activedescendant` where it is; only what is in sight
 * is drawn, and a key repaints the cells that it concerns.
 */
export function MarkGrid({ grid, sizes, label, root, onMenu, onColumn }: Props) {
  const { i18n } = useTranslation('marks')
  const { sheet, cursor, control } = grid
  const { pupils, columns } = useLayout(sheet)
  const rows = useVirtualizer({
    count: pupils.length,
    getScrollElement: () => root.current,
    estimateSize: () => sizes.row,
    scrollMargin: sizes.head,
    overscan: 6,
  })
  const across = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => root.current,
    estimateSize: () => sizes.column,
    scrollMargin: sizes.name,
    overscan: 2,
  })
  const { row: height, column: width } = sizes
  useEffect(() => {
    // Only other sizes are a reason.
    if (height > 0 && width > 0) {
      rows.measure()
      across.measure()
    }
  }, [rows, across, height, width])
  const acrossNow = across.getVirtualItems()
  const first = acrossNow[0]?.index ?? 0
  const last = acrossNow.at(-1)?.index ?? -1
  const inSight = useMemo(() => ({ first, last }), [first, last])
  useRevealed(grid, sizes, root)
  useKeyboard(root)
  // One more for the edge of the last column, or there is a pixel to push sideways.
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
        aria-readonly={control.isReadOnly}
        className={sizes.isNarrow ? `${styles['grid']} ${styles['narrow']}` : styles['grid']}
        onKeyDown={(event) => {
          if (control.key(event)) event.preventDefault()
        }}
        onFocus={() => cursor.focus(true)}
        onBlur={({ relatedTarget }) => cursor.focus(root.current?.contains(relatedTarget) ?? false)}
        onCopy={(event) => {
          if (cursor.editing) return
          event.clipboardData.setData('text/plain', control.copied())
          event.preventDefault()
        }}
        onPaste={(event) => {
          if (cursor.editing && !/[\t\n]/.test(event.clipboardData.getData('text/plain').trim())) return
          event.preventDefault()
          if (cursor.editing) control.abandon()
          control.pasted(event.clipboardData.getData('text/plain'))
        }}
        onContextMenu={(event) => {
          const place = placeIn(event.target)
          if (!place || cursor.editing) return
          event.preventDefault()
          if (place.row < 0) return onColumn(place.col)
          cursor.go(place)
          onMenu(place)
        }}
        {...pressing(grid)}
      >
        <div role="presentation" style={{ width: total }}>
          <GridHead columns={columns} inSight={inSight} sizes={sizes} onColumn={onColumn} />
          <div role="rowgroup" className={styles['body']} style={{ height: pupils.length * sizes.row }}>
            {rows.getVirtualItems().map(({ index }) => {
              const pupil = pupils[index]
              return (
                pupil && (
                  <GridRow
                    key={pupil.id}
                    row={index}
                    pupil={pupil}
                    columns={columns}
                    inSight={inSight}
                    sizes={sizes}
                    language={i18n.language}
                  />
                )
              )
            })}
          </div>
          <GridFoot rows={pupils.length} columns={columns} inSight={inSight} sizes={sizes} />
        </div>
      </div>
    </GridContext>
  )
}

function placeIn(target: EventTarget): Place | null {
  const { row, col } = (target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null)?.dataset ?? {}
  return row === undefined || col === undefined ? null : { row: Number(row), col: Number(col) }
}

/** A press chooses a cell, a drag a block; a second press, or a touch, opens the field. */
function pressing({ cursor, control }: Grid) {
  return {
    onPointerDown: (event: PointerEvent) => {
      const place = placeIn(event.target)
      if (event.button !== 0 || !place || place.row < 0 || event.target instanceof HTMLInputElement) return
      cursor.go(place, { extends: event.shiftKey })
    },
    onPointerMove: (event: PointerEvent) => {
      if (event.buttons !== 1 || event.pointerType === 'touch' || cursor.editing || cursor.at.row < 0) return
      const place = placeIn(event.target)
      if (place && place.row >= 0 && (place.row !== cursor.at.row || place.col !== cursor.at.col)) cursor.go(place, { extends: true })
    },
    onClick: (event: React.MouseEvent) => {
      const isTouch = (event.nativeEvent as globalThis.PointerEvent).pointerType === 'touch'
      if (isTouch && placeIn(event.target) && !(event.target instanceof HTMLInputElement)) control.edit(null)
    },
    onDoubleClick: (event: React.MouseEvent) => {
      const place = placeIn(event.target)
      if (place && place.row >= 0 && !cursor.editing) control.edit(null)
    },
  }
}

/** Keeps the cell of the keyboard in sight, and says which it is. */
function useRevealed({ cursor, control, id }: Grid, sizes: Sizes, root: RefObject<HTMLDivElement | null>): void {
  useLayoutEffect(() => {
    let shown: Place | null = null
    const follow = () => {
      const element = root.current
      if (!element || shown === cursor.at) return
      shown = cursor.at
      const { row, col } = cursor.at
      element.setAttribute('aria-activedescendant', cellId(id, row, col))
      control.page = Math.max(1, Math.floor((element.clientHeight - sizes.head - sizes.foot) / sizes.row))
      reveal(element, { row, col }, control.size(), sizes)
    }
    follow()
    // Where a notice under the grid takes of its height, the mark that is typed stays in sight.
    const resized = new ResizeObserver(() => {
      if (root.current?.contains(document.activeElement)) reveal(root.current, cursor.at, control.size(), sizes)
    })
    if (root.current) resized.observe(root.current)
    const stop = cursor.subscribe(follow)
    return () => {
      resized.disconnect()
      stop()
    }
  }, [cursor, control, id, sizes, root])
}

/** With the row before and the one after: whoever types down a list sees whose mark is next. */
function reveal(element: HTMLElement, { row, col }: Place, { rows, marks }: Size, sizes: Sizes): void {
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
  const left = isFigure ? marks * sizes.column + (col - marks) * sizes.figure : col * sizes.column
  const width = isFigure ? sizes.figure : sizes.column
  const room = element.clientWidth - sizes.name - beside
  if (left < element.scrollLeft) element.scrollLeft = left
  else if (left + width > element.scrollLeft + room) element.scrollLeft = left + width - room
}

/** Whoever comes to enter marks types at once: the grid takes the keyboard where nothing on the page has it. */
function useKeyboard(root: RefObject<HTMLDivElement | null>) {
  useEffect(() => {
    const take = setTimeout(() => {
      const { activeElement, body } = document
      if (!activeElement || activeElement === body || activeElement.id === 'page') root.current?.focus({ preventScroll: true })
    })
    return () => clearTimeout(take)
  }, [root])
}
