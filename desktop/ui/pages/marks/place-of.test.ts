import { expect, test } from 'vitest'
import { placeOf } from './place-of.ts'

const school = { name: 'The box in the office', kind: 'school' as const }
const centre = { name: 'Centre', kind: 'centre' as const }

test('where a saved mark is follows from whose server this is, and whether its parent has it', () => {
  expect([true, false].map((isWaiting) => placeOf(isWaiting, centre))).toEqual(['school', 'centre'])
  expect([true, false].map((isWaiting) => placeOf(isWaiting, school))).toEqual(['here', 'school'])
  expect([placeOf(false, null), placeOf(false, undefined)]).toEqual(['saved', 'saved'])
})
