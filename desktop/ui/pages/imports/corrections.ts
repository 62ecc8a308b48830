import type { CellEdit, LeftOut } from './csv.ts'

/** What a person has changed of a table before it is sent: cells that were typed anew, rows and columns that are left out. */
export type Corrections = LeftOut & { texts: readonly CellEdit[] }

export const untouched: Corrections = { texts: [], rows: new Set(), columns: new Set() }

export const isUntouched = ({ texts, rows, columns }: Corrections): boolean => texts.length + rows.size + columns.size === 0

/** With a cell typed anew, over what was typed in it before. */
export const withText = (corrections: Corrections, edit: CellEdit): Corrections => ({
  ...corrections,
  texts: [...corrections.texts.filter(({ row, column }) => row !== edit.row || column !== edit.column), edit],
})

export const withoutRows = (corrections: Corrections, rows: Iterable<number>): Corrections => ({
  ...corrections,
  rows: new Set([...corrections.rows, ...rows]),
})

export const withRows = (corrections: Corrections, again: ReadonlySet<number>): Corrections => ({
  ...corrections,
  rows: new Set([...corrections.rows].filter((row) => !again.has(row))),
})

export const withoutColumn = (corrections: Corrections, column: number): Corrections => ({
  ...corrections,
  columns: new Set([...corrections.columns, column]),
})

export const withColumn = (corrections: Corrections, column: number): Corrections => ({
  ...corrections,
  columns: new Set([...corrections.columns].filter((each) => each !== column)),
})
