import type { CellEdit, LeftOut } from './csv.ts'

/** A person's changes of a table before it is sent: edited cells, and rows and columns that are left out. */
export type Corrections = LeftOut & { texts: readonly CellEdit[] }

export const untouched: Corrections = { texts: [], rows: new Set(), columns: new Set() }

export const isUntouched = ({ texts, rows, columns }: Corrections): boolean => texts.length + rows.size + columns.size === 0

/** Adds an edited cell, which replaces an earlier edit of it. */
export const withText = (corrections: Corrections, edit: CellEdit): Corrections => ({
  ...corrections,
  texts: [...corrections.texts.filter(({ row, column }) => row !== edit.row || column !== edit.column), edit],
})

/** Leaves rows out, by their numbers. */
export const withoutRows = (corrections: Corrections, rows: Iterable<number>): Corrections => ({
  ...corrections,
  rows: new Set([...corrections.rows, ...rows]),
})

/** Takes rows back that were left out. */
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
