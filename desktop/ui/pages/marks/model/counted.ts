import type { LiveMark } from '@markbook/shared/contract/grades'
import type { Sheet } from './sheet.ts'

/** How many marks of a sheet are only on this page, and how many of the others are where `placeOf` says. */
export type Counted<Place extends string> = { unsaved: number; places: ReadonlyMap<Place, number> }

export function countMarks<Place extends string>(sheet: Sheet, placeOf: (mark: LiveMark) => Place): Counted<Place> {
  const own = new Set(sheet.columns.map(({ id }) => id))
  const places = new Map<Place, number>()
  for (const mark of sheet.marks()) {
    if (!own.has(mark.assessment_id) || sheet.queue.of(mark.assessment_id, mark.student_id)) continue
    const place = placeOf(mark)
    places.set(place, (places.get(place) ?? 0) + 1)
  }
  return { unsaved: sheet.queue.all().filter(({ assessmentId }) => own.has(assessmentId)).length, places }
}
