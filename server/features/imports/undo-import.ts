import { type ImportUndo, importFailures, imports } from '@markbook/shared/contract/imports'
import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { type HandlerContext, on } from '../../http/handler.ts'
import type { WriteTx } from '../../store/tx.ts'
import { ownSchool } from '../policy.ts'
import { importNoteIn } from './import-record.ts'
import { entriesAt, IMPORT, notesOfImport } from './imports.queries.ts'
import { mayUndo, undoableUntil } from './past-imports.ts'
import { type GradesWritten, gradesWritten, undoGrades } from './undo-grades.ts'
import { undoStudents } from './undo-students.ts'
import type { Entry, Undoing } from './undoing.ts'

type UndoContext = HandlerContext<typeof imports.undo>
type Loaded = { note: Entry; entries: Entry[]; grades: GradesWritten | null }

const notesIn = ({ tx, caller: { school_id: school } }: UndoContext, id: string) => notesOfImport(tx, { school, near: school, id })

/** The entries of the import's transaction. */
async function entriesOf(tx: WriteTx, { school_id: school, at, node_id, node_seq }: Entry): Promise<Entry[]> {
  return (await entriesAt(tx, { school, at })).filter((entry) => entry.node_id === node_id && entry.node_seq === node_seq)
}

async function write(tx: WriteTx, { removed, restored }: Undoing): Promise<void> {
  await tx.remove('grade', removed.grade)
  await tx.remove('enrolment', removed.enrolment)
  await tx.remove('student', removed.student)
  await tx.update('student', restored.student)
  await tx.update('grade', restored.grade)
}

const answerOf = ({ removed, restored, kept }: Undoing): ImportUndo => ({
  removed: removed.student.length + removed.enrolment.length + removed.grade.length,
  restored: restored.student.length + restored.grade.length,
  kept: kept.length,
  rows: kept.slice(0, limits.importKeptRows),
})

/** Undoes what an import wrote and nobody has changed since, in one transaction (docs/design/imports.md). */
export const undoImport = on(imports.undo, {
  load: async (context, { params }): Promise<Loaded> => {
    const note = (await notesIn(context, params.id)).find(({ action }) => action === 'create')
    if (!note) throw common.notFound()
    const { kind } = importNoteIn(note.changes)
    if (!mayUndo(context.caller, { ...note, kind })) throw kind === 'students' ? common.adminOnly() : common.forbidden()
    const entries = await entriesOf(context.tx, note)
    // Like the import, it locks the school, or the assessments, first.
    if (kind === 'students') await ownSchool(context)
    return { note, entries, grades: kind === 'grades' ? await gradesWritten(context, entries) : null }
  },
  run: async (context, { params, query }, { note, entries, grades }) => {
    const { tx, caller } = context
    if ((await notesIn(context, params.id)).some(({ action }) => action === 'delete')) throw importFailures.undone()
    if (undoableUntil(note) < tx.now) throw importFailures.tooOld()
    const undoing = grades ? await undoGrades(context, entries, grades) : await undoStudents(context, entries)
    if (query.dryRun) return answerOf(undoing)
    await write(tx, undoing)
    tx.note({ schoolId: caller.school_id, entity: IMPORT, id: params.id, action: 'delete', changes: {} })
    return answerOf(undoing)
  },
})
