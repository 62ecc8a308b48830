/** The sheet of a workbook that holds marks. */
export const MARK_SHEET = 'Marks'

/** «Last name», « last_name » and «LAST-NAME» are one column. */
export const columnKey = (head: string): string =>
  head
    .normalize('NFC')
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/gu, '_')
