import { expect, test } from 'vitest'
import { whoChoices, whoColumns } from './mark-headings.ts'

const read = (...head: string[]) => whoColumns(head).map((column) => column ?? '')

test('a school’s own headings of names are those of the server, beside assessments', () => {
  expect(read('N°', 'Nom', 'Prénom', 'Quiz 1')).toEqual(['', 'last_name', 'first_name', ''])
  expect(read('Surname', 'Forename', 'Gender', 'Exam')).toEqual(['last_name', 'first_name', '', ''])
  expect(read('Matricule', 'Quiz 1')).toEqual(['student_number', ''])
})

test('where the server finds the pupils itself nothing is renamed', () => {
  expect(read('student_id', 'Nom', 'Prénom')).toEqual([])
  expect(read('Last name', 'First-name', 'Number')).toEqual([])
  expect(read('STUDENT_NUMBER', 'Surname', 'Forename')).toEqual([])
  expect(read('Name', 'Quiz 1')).toEqual(['', ''])
})

test('where a heading is there twice a person says which column it is', () => {
  const head = ['Nom', 'Prénom', 'NOM :', 'Quiz 1']
  expect(whoChoices(head)).toEqual([{ column: 'last_name', heading: 'Nom', among: [0, 2] }])
  expect(whoColumns(head, { last_name: 2 })).toEqual([undefined, 'first_name', 'last_name', undefined])
  expect(whoColumns(head, { last_name: 0 })).toEqual(['last_name', 'first_name', undefined, undefined])
  expect(whoChoices(['Nom', 'Nom de famille', 'Prénom'])).toEqual([])
  // Two assessments of one name are no question of whose a row is.
  expect(whoChoices(['Nom', 'Prénom', 'Quiz 1', 'Quiz 1'])).toEqual([])
})

test('under the server’s own names the others lose theirs', () => {
  const head = ['Last name', 'First name', 'last_name', 'Quiz 1']
  expect(whoChoices(head)).toEqual([{ column: 'last_name', heading: 'Last name', among: [0, 2] }])
  expect(whoColumns(head, { last_name: 2 })).toEqual(['', 'first_name', 'last_name', undefined])
  expect(whoChoices(['student_id', 'Nom', 'Nom', 'Prénom'])).toEqual([])
})
