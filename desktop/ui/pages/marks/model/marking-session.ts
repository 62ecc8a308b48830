import type { Grade } from '@markbook/shared/contract/grades'
import { promptClient as client } from '../../../api/client.ts'
import { Listeners } from '../../../api/listeners.ts'
import { refreshCounts } from '../../../api/queries.ts'
import { openKeptQueue, sessionsOf, tellUnsaved, type Whose } from './kept-queue.ts'
import type { InvalidEntry, MarkKey } from './mark-values.ts'
import { markToSend } from './pending-mark.ts'
import type { SheetScope } from './pending-mark-storage.ts'
import { removeMark } from './remove-mark.ts'
import { removeFromSeen, saveInSeen } from './seen-marks.ts'

/** The queue of a user's marks in this window. It exists longer than the page of a class: marks are sent from every page. */
export type MarkingSession = ReturnType<typeof open>

export const markingSessionOf = sessionsOf(open)

function open({ owner, isShown, demandOwn }: Whose) {
  const saved = new Listeners<[rows: readonly Grade[]]>()
  const removed = new Listeners<[mark: MarkKey]>()
  const {
    queue,
    isStored,
    elsewhere,
    places: sheets,
  } = openKeptQueue<Grade, SheetScope>(owner, 'pending_marks', {
    send: async (assessmentId, marks) => {
      demandOwn()
      return client.grades.bulk({ body: { assessmentId, grades: marks.map(markToSend) } })
    },
    read: async (assessmentId) => {
      demandOwn()
      return client.grades.list({ query: { assessmentId } })
    },
    remove: async (assessmentId, studentId, known) => {
      demandOwn()
      return removeMark(client.grades, assessmentId, studentId, known)
    },
    saved: (assessmentId, rows) => {
      saved.notify(rows)
      void refreshCounts()
      const sheet = sheets.get(assessmentId)
      if (sheet) saveInSeen(sheet, rows)
    },
    removed: (assessmentId, studentId) => {
      removed.notify({ assessmentId, studentId })
      void refreshCounts()
      const sheet = sheets.get(assessmentId)
      if (sheet) removeFromSeen(sheet, { assessmentId, studentId })
    },
  })
  const invalidEntries = new Map<string, InvalidEntry>()
  // Invalid entries are in this window alone.
  const isAllStored = () => invalidEntries.size === 0 && isStored()
  const count = tellUnsaved({ queue, elsewhere, isStored: isAllStored }, 'marks', isShown, () => invalidEntries.size)
  return {
    owner,
    queue,
    /** Invalid entries by cell, kept after the page of their sheet is closed. */
    invalidEntries,
    /**
     * Tells the frame the number of unsaved entries. The queue calls it for its entries; a sheet must call it after a change of invalid
     * ones.
     */
    count,
    /** False where a pending mark could not be stored, so that closing the window would lose it. */
    isStored,
    /** The number of marks that other windows of this browser have; null before the first count. */
    elsewhere,
    onSaved: saved.add,
    onRemoved: removed.add,
    /** Notes in which sheet the marks of these assessments are entered, for links on other pages. */
    enteredIn: (sheet: SheetScope, assessmentIds: readonly string[]) => {
      for (const id of assessmentIds) sheets.set(id, sheet)
    },
    sheetOf: (assessmentId: string): SheetScope | undefined => sheets.get(assessmentId),
  }
}
