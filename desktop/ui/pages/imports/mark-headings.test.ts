import { expect, test } from 'vitest'
import { whoColumns } from './mark-headings.ts'

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
