import type { RowQueue } from './autosave.ts'
import { storedText, type TextField, type TextGroup, type TextRow, textGroupKey, textKey, textOfKey } from './pending-text.ts'
import type { TextPlace, TextSession } from './text-session.ts'

/** The group and place where a row is written, and the row. */
export type RowPlace = { group: TextGroup; place: TextPlace; row: TextRow }

/** The queue for one row. */
export function rowQueue<F extends TextField>(
  session: Pick<TextSession, 'queue' | 'writtenIn'>,
  { group, place, row }: RowPlace,
): RowQueue<F> {
  const { queue } = session
  const assessmentId = textGroupKey(group)
  const isOwn = (key: string) => textOfKey(key).rowId === row.rowId
  return {
    get: (field) => queue.get(assessmentId, textKey(row, field)),
    put: (field, score, seen) => {
      session.writtenIn(group, place)
      queue.put([{ assessmentId, studentId: textKey(row, field), score, seen }])
    },
    resolve: (pending, choice) => queue.resolve([pending], choice),
    reconcile: (field, stored) => queue.reconcile(assessmentId, [storedText(row, field, stored)]),
    sendNow: () => queue.sendNow(assessmentId),
    listen: (listener) => queue.listen((changed, keys) => changed === assessmentId && keys.some(isOwn) && listener()),
  }
}
