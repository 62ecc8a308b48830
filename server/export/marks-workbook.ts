import { buildMarksheet } from '../documents/marksheet.ts'
import { type WorkbookSheet, writeWorkbook } from '../documents/workbook.ts'
import { marksheetOf } from '../features/imports/grade-sheet.ts'
import type { Store } from '../store/store.ts'
import { asSystem } from '../store/tx.ts'
import { NamingError, type Sheet, sheetNamed } from './naming.ts'

/** What a spreadsheet program does not allow in the name of a sheet, and how long it may be. */
const FORBIDDEN = /[\\/?*:[\]]/g
const LONGEST = 31

/**
 * The marks of a class in a term: a sheet for each subject that has an assessment, as the teachers' own mark sheets. Where one subject is
 * named, its workbook comes back through the import.
 */
export const marksWorkbook = (store: Store, schoolId: string, asked: Sheet): Promise<{ bytes: Uint8Array; subjects: string[] }> =>
  store
    .read(asSystem(), async (tx) => {
      const { group, term, subjects } = await sheetNamed(tx, schoolId, asked)
      const sheets: WorkbookSheet[] = []
      const names: string[] = []
      for (const { id, name } of subjects) {
        const input = await marksheetOf({ tx }, { group, term, subjectId: id })
        if (input.assessments.length === 0) continue
        const sheet = buildMarksheet(input)
        sheets.push(asked.subject === undefined ? { ...sheet, name: sheetName(name, sheets) } : sheet)
        names.push(name)
      }
      if (sheets.length === 0) throw new NamingError(`${group.name} has no assessment in that term.`)
      return { sheets, names, madeAt: tx.nowMs }
    })
    .then(async ({ sheets, names, madeAt }) => ({ bytes: await writeWorkbook({ sheets, madeAt }), subjects: names }))

function sheetName(name: string, taken: readonly WorkbookSheet[]): string {
  const plain =
    name
      .replace(FORBIDDEN, ' ')
      .replace(/^'+|'+$/g, '')
      .trim()
      .slice(0, LONGEST) || 'Marks'
  const isTaken = (candidate: string) => taken.some((sheet) => sheet.name.toLowerCase() === candidate.toLowerCase())
  let free = plain
  for (let count = 2; isTaken(free); count += 1) free = `${plain.slice(0, LONGEST - 4)} ${count}`
  return free
}
