import { expect, test } from 'vitest'
import { isNobodyIn, whoChoices, whoColumns } from './mark-headings.ts'

const read = (...head: string[]) => whoColumns(head).map((column) => column ?? '')

test('a school’s headings of names get the server’s names, beside assessments', () => {
  expect(read('N°', 'Nom', 'Prénom', 'Quiz 1')).toEqual(['', 'last_name', 'first_name', ''])
  expect(read('Surname', 'Forename', 'Gender', 'Exam')).toEqual(['last_name', 'first_name', '', ''])
  expect(read('Matricule', 'Quiz 1')).toEqual(['student_number', ''])
})

test('nothing is renamed where the server finds the pupils itself', () => {
  expect(read('student_id', 'Nom', 'Prénom')).toEqual([])
  expect(read('Last name', 'First-name', 'Number')).toEqual([])
  expect(read('STUDENT_NUMBER', 'Surname', 'Forename')).toEqual([])
  expect(read('Name', 'Quiz 1')).toEqual(['', ''])
})

test('a first row that is no row of headings identifies nobody', () => {
  expect(isNobodyIn(['Murphy', 'Aoife', '12'])).toBe(true)
  expect(isNobodyIn(['Nom', 'Quiz 1'])).toBe(true)
  for (const head of [
    ['Nom', 'Prénom'],
    ['Matricule', 'Quiz 1'],
    ['student_id', 'Quiz 1'],
    ['Last name', 'First name'],
  ])
    expect(isNobodyIn(head)).toBe(false)
})

test('where a heading occurs twice the person chooses the column', () => {
  const head = ['Nom', 'Prénom', 'NOM :', 'Quiz 1']
  expect(whoChoices(head)).toEqual([{ column: 'last_name', heading: 'Nom', among: [0, 2] }])
  expect(whoColumns(head, { last_name: 2 })).toEqual([undefined, 'first_name', 'last_name', undefined])
  expect(whoColumns(head, { last_name: 0 })).toEqual(['last_name', 'first_name', undefined, undefined])
  expect(whoChoices(['Nom', 'Nom de famille', 'Prénom'])).toEqual([])
  // Two assessments with one name do not matter for finding the pupils.
  expect(whoChoices(['Nom', 'Prénom', 'Quiz 1', 'Quiz 1'])).toEqual([])
})

test('beside the server’s own names, other headings with that meaning are emptied', () => {
  const head = ['Last name', 'First name', 'last_name', 'Quiz 1']
  expect(whoChoices(head)).toEqual([{ column: 'last_name', heading: 'Last name', among: [0, 2] }])
  expect(whoColumns(head, { last_name: 2 })).toEqual(['', 'first_name', 'last_name', undefined])
  expect(whoChoices(['student_id', 'Nom', 'Nom', 'Prénom'])).toEqual([])
})
