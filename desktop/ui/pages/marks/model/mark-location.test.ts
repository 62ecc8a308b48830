import { expect, test } from 'vitest'
import { locationOf, type ParentStatus } from './mark-location.ts'

const school = { name: 'The box in the office', kind: 'school' as const }
const centre = { name: 'Centre', kind: 'centre' as const }
const locationsUnder = (status: ParentStatus) => [true, false].map((is_waiting) => locationOf({ is_waiting, is_above: false }, status))

test('the location of a saved mark depends on the kind of this server and on whether its parent has the mark', () => {
  expect(locationsUnder({ parent: centre, is_laptop: false })).toEqual(['schoolWaits', 'centre'])
  expect(locationsUnder({ parent: school, is_laptop: true })).toEqual(['here', 'school'])
  expect(locationsUnder({ parent: centre, is_laptop: true })).toEqual(['hereForCentre', 'centre'])
  expect(locationsUnder({ parent: null, is_laptop: false })).toEqual(['saved', 'saved'])
  expect(locationOf({ is_waiting: false, is_above: true }, { parent: school, is_laptop: true })).toBe('centre')
  expect(locationOf({ is_waiting: false, is_above: false }, undefined)).toBe('saved')
})
