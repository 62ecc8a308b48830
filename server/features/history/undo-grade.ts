import { grades } from '@markbook/shared/contract/grades'
import { historyFailures } from '@markbook/shared/contract/history'
import type { Row } from '@markbook/shared/tables/tables'
import { heldAssessment } from '../assessments/assessments.policy.ts'
import { gradeHandlers } from '../grades/grades.handlers.ts'
import { gradeRights, heldGrade, type Sitter, sittersFor } from '../grades/grades.policy.ts'
import { demandInClassOf, demandWithinMaximum } from '../grades/grades.record.ts'
import { liveRows } from './history.queries.ts'
import { demandUnchanged, type EntryOf, named, route, throughRoutes, type Undoer, type UndoScene } from './undo.ts'

type Grade = Row<'grade'>

const updates = throughRoutes(
  route(grades.update, gradeHandlers.update, named('score', 'remarks')),
  route(grades.exclude, gradeHandlers.exclude, named('is_excluded', 'exclusion_reason'), true),
)

/** A grade that was recorded by mistake goes. */
const creation: Undoer = {
  load: (scene, entry) => heldGrade(scene, entry.row_id),
  write: async (scene, entry) => {
    const grade = await demandUnchanged(scene, entry)
    await scene.tx.remove('grade', [grade as Grade])
  },
}

type Deleted = { assessment: Row<'assessment'>; sitters: Sitter[] } | null

/** A grade that went comes back under its own id, as long as its assessment is there. */
const deletion: Undoer<Deleted> = {
  load: async (scene: UndoScene, { changes }: EntryOf) => {
    const id = changes['assessment_id']?.before as string
    const [known] = await liveRows.assessment(scene.tx, { school: scene.caller.school_id, id })
    if (!known) return null
    const assessment = await heldAssessment(scene, id)
    const mayWrite = await gradeRights(scene, assessment)
    return { assessment, sitters: await sittersFor(scene, assessment, mayWrite, [changes['student_id']?.before as string]) }
  },
  write: async ({ tx, caller }, { row_id, changes }, deleted) => {
    if (!deleted) throw historyFailures.cannotUndo({ message: 'The assessment of this grade was deleted.' })
    const { assessment, sitters } = deleted
    if (await tx.find('grade', caller.school_id, row_id)) throw historyFailures.changedSince()
    const values = Object.fromEntries(Object.entries(changes).map(([name, { before }]) => [name, before]))
    const nulls = { remarks: null, exclusion_reason: null }
    const row = { ...nulls, ...values, id: row_id, school_id: caller.school_id, term_id: assessment.term_id } as Grade
    demandInClassOf(assessment, sitters)
    demandWithinMaximum(assessment, [row])
    await tx.insert('grade', [row])
  },
}

const byAction = { create: creation, update: updates, delete: deletion as Undoer }

/** Grades are all that can be undone whole: recorded, changed or removed. */
export const gradeUndoer: Undoer = {
  load: (scene, entry) => byAction[entry.action].load(scene, entry),
  write: (scene, entry, loaded) => byAction[entry.action].write(scene, entry, loaded),
}
