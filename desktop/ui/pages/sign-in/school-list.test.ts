import { expect, test } from 'vitest'
import { matching } from './school-list.ts'

const schools = ['St Brigid’s', 'Scoil Mhuire, Cill Dara', 'École Élémentaire', 'St Kevin’s'].map((name) => ({ name }))
const found = (search: string) => matching(schools, search).map(({ name }) => name)

test.each([
  ['', 4],
  ['  ', 4],
  ['st', 2],
  ["brigid's", 1],
  ['KEVIN st', 1],
  ['ecole', 1],
  ['mhuire dara', 1],
  ['.*', 0],
])('%j finds %i', (search, count) => {
  expect(found(search)).toHaveLength(count)
})
