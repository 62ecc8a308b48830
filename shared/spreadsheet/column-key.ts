/** The name of the worksheet with marks. */
export const MARK_SHEET = 'Marks'

/** Normalises a heading: «Last name», « last_name » and «LAST-NAME» are one column. */
export const columnKey = (head: string): string =>
  head
    .normalize('NFC')
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/gu, '_')

/** The letters of a column in a spreadsheet: A, B, … Z, AA. Column A is 0. */
export const columnLetters = (column: number): string =>
  (column < 26 ? '' : columnLetters(Math.floor(column / 26) - 1)) + String.fromCharCode(65 + (column % 26))
