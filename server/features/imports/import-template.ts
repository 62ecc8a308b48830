import { students } from '@markbook/shared/contract/students'
import type { WorkbookColumn, WorkbookSheet } from '../../documents/workbook.ts'
import { onFile } from '../../http/handler.ts'
import { activeYearOf, classesOfYear } from '../academic-years/academic-years.policy.ts'
import { PUPIL_COLUMNS } from './pupil-rows.ts'
import { workbookFile } from './workbook-file.ts'

const HINTS: Record<(typeof PUPIL_COLUMNS)[number], { width: number; kind: WorkbookColumn['kind']; text: string }> = {
  first_name: { width: 22, kind: 'text', text: 'Needed for a new pupil.' },
  last_name: { width: 22, kind: 'text', text: 'Needed for a new pupil.' },
  gender: { width: 10, kind: 'text', text: 'male, female or other (or m, f, o). Needed for a new pupil.' },
  date_of_birth: { width: 15, kind: 'day', text: 'A date, such as 2011-03-25.' },
  enrollment_date: { width: 15, kind: 'day', text: 'The day on which the pupil came to the school, such as 2025-09-01.' },
  student_number: {
    width: 16,
    kind: 'text',
    text: 'The school’s own number of the pupil. Whoever has that number already is changed, not made again.',
  },
  class: { width: 14, kind: 'text', text: 'The name of a class of the active year; the sheet «Classes» lists them. Empty: in no class.' },
}

const pupilSheet: WorkbookSheet = {
  name: 'Pupils',
  columns: PUPIL_COLUMNS.map((key) => ({ head: key, key, width: HINTS[key].width, kind: HINTS[key].kind })),
  rows: [],
  frozenColumns: 0,
  notes: PUPIL_COLUMNS.map((key) => ({ key, text: HINTS[key].text })),
}

const classSheet = (names: readonly string[]): WorkbookSheet => ({
  name: 'Classes',
  columns: [{ head: 'class', key: 'class', width: 24, kind: 'text' }],
  rows: names.map((name) => ({ cells: { class: name } })),
  frozenColumns: 0,
})

/** An empty workbook for the import of students, with the classes of the active year on a worksheet of their own. */
export const importTemplate = onFile(students.importTemplate, {
  load: async () => undefined,
  run: async ({ tx, caller }) => {
    const active = await activeYearOf(tx, caller.school_id)
    const classes = active?.academic_year_id ? await classesOfYear(tx, { school: caller.school_id, year: active.academic_year_id }) : []
    const names = classes.map(({ name }) => name).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    const workbook = { sheets: [pupilSheet, classSheet(names)], madeAt: tx.nowMs }
    return { filename: 'Pupils to import.xlsx', workbook, school: caller.school_id }
  },
  finish: workbookFile,
})
