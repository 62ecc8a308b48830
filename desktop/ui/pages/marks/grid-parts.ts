import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Cursor, Mode } from './model/cursor.ts'
import type { GridControl } from './model/grid-control.ts'
import type { Saying } from './model/saying.ts'
import type { Cell, Layout, Sheet } from './model/sheet.ts'

/** Sizes in pixels; rows and columns are all alike, so that their places follow from their numbers. */
export type Sizes = { name: number; column: number; figure: number; row: number; head: number; foot: number; isNarrow: boolean }
export const wide: Sizes = { name: 184, column: 78, figure: 72, row: 34, head: 84, foot: 34, isNarrow: false }
export const narrow: Sizes = { name: 118, column: 84, figure: 78, row: 42, head: 84, foot: 36, isNarrow: true }
/** Few columns are wider, so that their titles can be read. */
export const roomier = (sizes: Sizes, columns: number): Sizes => (columns <= ROOMY && !sizes.isNarrow ? { ...sizes, column: 116 } : sizes)
const ROOMY = 5

export type Grid = { sheet: Sheet; cursor: Cursor; control: GridControl; saying: Saying; id: string }
export const GridContext = createContext<Grid | null>(null)
export function useGrid(): Grid {
  const grid = useContext(GridContext)
  if (!grid) throw new Error('a part of the grid stands outside of it')
  return grid
}

export const cellId = (grid: string, row: number, col: number) => `${grid}-${row}-${col}`

export const useLayout = (sheet: Sheet): Layout =>
  useSyncExternalStore(
    (ear) => sheet.listen('layout', ear),
    () => sheet.layout,
  )

/** How a cell is chosen. */
export const useMode = (cursor: Cursor, row: number, col: number): Mode =>
  useSyncExternalStore(cursor.subscribe, () => cursor.modeOf(row, col))

export const useCell = (sheet: Sheet, assessmentId: string, studentId: string): Cell =>
  useSyncExternalStore(
    (ear) => sheet.listenToCell(assessmentId, studentId)(ear),
    () => sheet.cell(assessmentId, studentId),
  )
