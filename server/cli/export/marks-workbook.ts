import { buildMarksheet } from '../../documents/marksheet.ts'
import { type WorkbookSheet, writeWorkbook } from '../../documents/workbook.ts'
import { marksheetOf } from '../../features/imports/grade-sheet.ts'
import type { Store } from '../../store/store.ts'
import { asSystem } from '../../store/tx.ts'
import { type Sheet, sheetNamed } from './naming.ts'

/**
 * The marks of a class in a term: a sheet for each subject that has an assessment, as the teachers' own mark sheets. Where one subject is
 * named, its workbook comes back through the import.
 */
export const marksWorkbook = (store: Store, schoolId: string, wanted: Sheet): Promise<{ bytes: Uint8Array; subjects: string[] }> =>
  store
    .read(asSystem(), async (tx) => {
      const { group, term, subjects } = await sheetNamed(tx, schoolId, wanted)
      const sheets: WorkbookSheet[] = []
      const names: string[] = []
      for (const { id, name } of subjects) {
        const input = await marksheetOf({ tx }, { group, term, subjectId: id })
        if (input.assessments.length === 0) continue
        const sheet = buildMarksheet(input)
        sheets.push(wanted.subject === undefined ? { ...sheet, name } : sheet)
        names.push(name)
      }
      if (sheets.length === 0) throw new Error(`${group.name} has no assessment in that term.`)
      return { sheets, names, madeAt: tx.nowMs }
    })
    .then(async ({ sheets, names, madeAt }) => ({ bytes: await writeWorkbook({ sheets, madeAt }), subjects: names }))
