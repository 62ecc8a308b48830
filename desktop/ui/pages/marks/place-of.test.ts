import { expect, test } from 'vitest'
import { type Above, placeOf } from './place-of.ts'

const school = { name: 'The box in the office', kind: 'school' as const }
const centre = { name: 'Centre', kind: 'centre' as const }
const bothAt = (above: Above) => [true, false].map((is_waiting) => placeOf({ is_waiting, is_above: false }, above))

test('where a saved mark is follows from whose server this is, and whether its parent has it', () => {
  expect(bothAt({ parent: centre, is_laptop: false })).toEqual(['schoolWaits', 'centre'])
  expect(bothAt({ parent: school, is_laptop: true })).toEqual(['here', 'school'])
  expect(bothAt({ parent: centre, is_laptop: true })).toEqual(['hereForCentre', 'centre'])
  expect(bothAt({ parent: null, is_laptop: false })).toEqual(['saved', 'saved'])
  expect(placeOf({ is_waiting: false, is_above: true }, { parent: school, is_laptop: true })).toBe('centre')
  expect(placeOf({ is_waiting: false, is_above: false }, undefined)).toBe('saved')
})
