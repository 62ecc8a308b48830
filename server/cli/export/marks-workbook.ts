import { buildMarksheet } from '../../documents/marksheet.ts'
import { type WorkbookSheet, writeWorkbook } from '../../documents/workbook.ts'
import { marksheetOf } from '../../features/imports/grade-sheet.ts'
import type { Store } from '../../store/store.ts'
import { asSystem } from '../../store/tx.ts'
import { type ClassAndTerm, placeNamed, type Sheet, sheetNamed } from './naming.ts'

/** `places`: the ways to read the class and the term that were typed. */
type Wanted = Omit<Sheet, keyof ClassAndTerm> & { places: readonly ClassAndTerm[] }

/**
 * The marks of a class in a term, as a workbook like the teachers' own mark sheets: one sheet for each subject with an assessment. The
 * workbook of a single subject can be imported again.
 */
export const marksWorkbook = (
  store: Store,
  schoolId: string,
  asked: Wanted,
): Promise<ClassAndTerm & { bytes: Uint8Array; subjects: string[] }> =>
  store
    .read(asSystem(), async (tx) => {
      const place = await placeNamed(tx, schoolId, asked)
      const { group, term, subjects } = await sheetNamed(tx, schoolId, { ...asked, ...place })
      const sheets: WorkbookSheet[] = []
      const names: string[] = []
      for (const { id, name } of subjects) {
        const input = await marksheetOf({ tx }, { of: { group }, term, subjectId: id })
        if (input.assessments.length === 0) continue
        const sheet = buildMarksheet(input)
        sheets.push(asked.subject === undefined ? { ...sheet, name } : sheet)
        names.push(name)
      }
      if (sheets.length === 0) throw new Error(`${group.name} has no assessment in that term.`)
      return { sheets, names, madeAt: tx.nowMs, place }
    })
    .then(async ({ sheets, names, madeAt, place }) => ({ ...place, bytes: await writeWorkbook({ sheets, madeAt }), subjects: names }))
