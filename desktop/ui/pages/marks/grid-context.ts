import { createContext, type RefObject, useContext, useEffect, useLayoutEffect, useReducer, useState, useSyncExternalStore } from 'react'
import type { GridController } from './model/grid-controller.ts'
import type { CellMode, GridSelection } from './model/selection.ts'
import type { Cell, Layout, Sheet } from './model/sheet.ts'
import type { StatusMessage } from './model/status-message.ts'

/**
 * Sizes in pixels. All rows have one height and all columns one width, so that positions follow from indices. `text`: the factor by which
 * text is larger than usual.
 */
export type GridMetrics = {
  name: number
  column: number
  figure: number
  row: number
  head: number
  foot: number
  isNarrow: boolean
  text: number
}
/** Shows 24 rows, a whole class, on a screen 768 pixels high. */
export const wideMetrics: GridMetrics = { name: 184, column: 78, figure: 72, row: 22, head: 48, foot: 24, isNarrow: false, text: 1 }
/** Larger rows, for fingers. */
export const touchMetrics: GridMetrics = { ...wideMetrics, row: 34, head: 72, foot: 34 }
export const narrowMetrics: GridMetrics = { name: 118, column: 84, figure: 78, row: 42, head: 84, foot: 36, isNarrow: true, text: 1 }
/** Widens columns where there are few, so that their titles fit. */
export const widenFewColumns = (sizes: GridMetrics, columns: number): GridMetrics =>
  columns <= FEW_COLUMNS && !sizes.isNarrow ? { ...sizes, column: 116 } : sizes
const FEW_COLUMNS = 5
/** The sizes for larger text; `text`: its factor. */
export const enlarged = ({ name, column, figure, row, head, foot, isNarrow }: GridMetrics, text: number): GridMetrics => ({
  name: name * text,
  column: column * text,
  figure: figure * text,
  row: row * text,
  head: head * text,
  foot: foot * text,
  isNarrow,
  text,
})

/**
 * Adapts the column width in a grid of `width` pixels where not all columns fit between names and figures: as many as fit are visible
 * whole, and none is half covered. On a telephone the figures come after the columns.
 */
export function fitColumns(sizes: GridMetrics, columns: number, figures: number, width: number): GridMetrics {
  const beside = sizes.isNarrow ? 0 : figures * sizes.figure
  const least = (sizes.isNarrow ? 78 : 70) * sizes.text
  // Where not even one column would fit, the names get narrower first.
  const name = Math.min(sizes.name, Math.max(narrowMetrics.name, width - beside - EDGES - least))
  const room = width - name - beside - EDGES
  if (columns * sizes.column <= room || room < least) return sizes
  return { ...sizes, name, column: Math.floor(room / Math.min(columns, Math.floor(room / least))) }
}
/** The borders of the grid and of its last column. */
const EDGES = 3

const BORDERS = 2
/** The width of the vertical scrollbar of the grid; 0 where it lies over the content, or is not needed. */
const scrollbarOf = (grid: HTMLElement) => Math.max(0, grid.offsetWidth - grid.clientWidth - BORDERS)

/** The width available for the columns of the grid; null where `isAsked` is false. */
export function useWidth(root: RefObject<HTMLDivElement | null>, isAsked: boolean): number | null {
  const [width, setWidth] = useState<number | null>(null)
  useLayoutEffect(() => {
    const grid = root.current
    const around = grid?.parentElement
    if (!around || !isAsked) return
    const measure = () => setWidth(around.clientWidth - scrollbarOf(grid))
    measure()
    const resized = new ResizeObserver(measure)
    for (const each of [around, grid]) resized.observe(each)
    return () => {
      resized.disconnect()
      setWidth(null)
    }
  }, [root, isAsked])
  return width
}

export type Grid = {
  sheet: Sheet
  selection: GridSelection
  controller: GridController
  message: StatusMessage
  id: string
  isReadOnly: boolean
}
export const GridContext = createContext<Grid | null>(null)
export function useGrid(): Grid {
  const grid = useContext(GridContext)
  if (!grid) throw new Error('useGrid needs a GridContext')
  return grid
}

export const cellId = (grid: string, row: number, col: number) => `${grid}-${row}-${col}`

/** A value of the sheet; read again when this part of the sheet changes. */
export const useSheetValue = <T>(sheet: Sheet, part: string, read: () => T): T =>
  useSyncExternalStore((listener) => sheet.listen(part, listener), read)

/** Renders again once a source has not changed for `ms`. */
export function useSettledChanges(subscribe: (listener: () => void) => () => void, ms: number): void {
  const [, render] = useReducer((times: number) => times + 1, 0)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const wait = () => {
      clearTimeout(timer)
      timer = setTimeout(render, ms)
    }
    wait()
    const stop = subscribe(wait)
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [subscribe, ms])
}

export const useLayout = (sheet: Sheet): Layout => useSheetValue(sheet, 'layout', () => sheet.layout)

/** Renders again when the selection in a row changes. */
export const useSelectionOf = (selection: GridSelection, row: number): string =>
  useSyncExternalStore(selection.subscribe, () => selection.inRow(row))

export const useCellMode = (selection: GridSelection, row: number, col: number): CellMode =>
  useSyncExternalStore(selection.subscribe, () => selection.modeOf(row, col))

export const useCell = (sheet: Sheet, assessmentId: string, studentId: string): Cell =>
  useSyncExternalStore(sheet.listenToCell(assessmentId, studentId), () => sheet.cell(assessmentId, studentId))
