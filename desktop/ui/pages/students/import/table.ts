/** Rows that hold anything, with the number that a spreadsheet shows beside them; the first is the heading. */
export type Lines = readonly { row: number; cells: readonly string[] }[]
export type CellEdit = { row: number; column: number; text: string }

/** A file of a school as far as it has to be understood before it is sent. `rewritten` is the same file but for some of its cells. */
export type ReadTable = { lines: Lines; rewritten: (edits: readonly CellEdit[]) => File }
