import type { ImportReport, PastImport } from '@markbook/shared/contract/imports'
import { visibleText } from '@markbook/shared/domain/visible-text'
import { isId } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import type { Changes } from '@markbook/shared/tables/changes'
import type { WriteContext } from '../policy.ts'
import type { PlannedReport } from './import-report.ts'
import { IMPORT } from './imports.queries.ts'

/** The place of the imported marks; null for an import without one. */
export type Where = Pick<PastImport, 'student_group_id' | 'teaching_set_id' | 'term_id' | 'subject_id'>
export const nowhere: Where = { student_group_id: null, teaching_set_id: null, term_id: null, subject_id: null }

/** The history entry of an import, in the transaction that wrote its rows. Undoing reads it. */
export type ImportNote = Where & Pick<PastImport, 'kind' | 'file' | 'created' | 'updated'>

type Of = Omit<ImportNote, 'created' | 'updated'>

/** The report of a real import, and its history entry, where it wrote something. */
export function recorded({ tx, caller }: WriteContext, report: PlannedReport, of: Of, { dryRun }: { dryRun: boolean }): ImportReport {
  const { created, updated, errors } = report
  if (dryRun || errors > 0 || created + updated === 0) return { id: null, ...report }
  const id = tx.newId()
  const note: ImportNote = { ...of, file: visibleText(of.file).slice(0, limits.text.name), created, updated }
  tx.note({ schoolId: caller.school_id, entity: IMPORT, id, action: 'create', changes: note })
  return { id, ...report }
}

/** The content of an entry; fields that an older or other program left out, or wrote in another form, are empty. */
export function importNoteIn(changes: Changes): ImportNote {
  const said = (name: keyof ImportNote) => changes[name]?.after ?? null
  const idOf = (name: keyof Where) => (isId(String(said(name))) ? String(said(name)) : null)
  const countOf = (name: 'created' | 'updated') => (Number.isSafeInteger(said(name)) ? Number(said(name)) : 0)
  return {
    kind: said('kind') === 'grades' ? 'grades' : 'students',
    file: String(said('file') ?? '').slice(0, limits.text.name),
    created: countOf('created'),
    updated: countOf('updated'),
    student_group_id: idOf('student_group_id'),
    teaching_set_id: idOf('teaching_set_id'),
    term_id: idOf('term_id'),
    subject_id: idOf('subject_id'),
  }
}
