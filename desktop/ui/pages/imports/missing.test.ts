import { expect, test } from 'vitest'
import { firstRows } from './mapping.ts'
import { missingClasses } from './missing.ts'

const refused = (row: number, name: string) => ({
  row,
  action: 'error' as const,
  issues: [
    { path: 'gender', message: 'is required for a new student', code: 'required' },
    { path: 'class', message: 'is not there', code: 'no_class', values: { name, year: '2025/26' } },
  ],
})

test('missing classes are counted by their rows, also where these have other faults', () => {
  const rows = [refused(2, '3C'), refused(3, '3c'), refused(4, '3D'), { row: 5, action: 'create' as const, issues: [] }]
  expect(missingClasses({ rows })).toEqual([
    { name: '3C', count: 2 },
    { name: '3D', count: 1 },
  ])
  expect(missingClasses({ rows: [] })).toEqual([])
})

test('the first rows are shown as they will be read: the used columns, with words for the genders', () => {
  const table = {
    lines: [
      { row: 1, cells: ['Nom', 'Couleur', 'Sexe', 'Né'] },
      { row: 2, cells: ['Ó Briain', 'red', 'fille', '40627'] },
      { row: 4, cells: ['Chen', '', '', '2011-03-04'] },
    ],
    rewritten: () => new File([], 'x.csv'),
  }
  expect(firstRows(table, ['last_name', null, 'gender', 'date_of_birth'])).toEqual({
    columns: ['last_name', 'gender', 'date_of_birth'],
    rows: [
      { row: 2, texts: ['Ó Briain', 'female', '40627'] },
      { row: 4, texts: ['Chen', '', '2011-03-04'] },
    ],
  })
})
