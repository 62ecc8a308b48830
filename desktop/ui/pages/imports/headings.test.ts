import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { columns, guessColumns } from './headings.ts'

const guess = (...head: string[]) => guessColumns(head)

describe('guessColumns', () => {
  test('finds English headings as schools write them', () => {
    expect(guess('Surname', 'Forename(s)', 'Sex', 'Form', 'D.O.B.', 'Admission No.', 'Date of Admission')).toEqual([...columns])
    expect(guess('Family name', 'Given Name', 'Gender', 'Class', 'Date of birth (dd/mm/yyyy)', 'Student ID', 'Enrolment date')).toEqual([
      ...columns,
    ])
    expect(guess('Pupil’s surname', 'Pupil first name', 'Boy/Girl', 'Tutor group', 'Birthday', 'Roll no', 'Joined')).toEqual([...columns])
    expect(guess('lastName', 'FirstName', 'M/F', 'className', 'dateOfBirth', 'studentNumber', 'enrollmentDate')).toEqual([...columns])
  })

  test('finds French headings', () => {
    expect(guess('NOM', 'Prénom', 'Sexe', 'Classe', 'Date de naissance', 'N° d’élève', 'Date d’inscription')).toEqual([...columns])
    expect(guess('Nom de l’élève', 'Prénom(s)', 'Genre', 'Groupe', 'Né(e) le', 'Matricule', 'À l’école depuis')).toEqual([...columns])
  })

  test('finds Arabic headings, with and without vowel signs', () => {
    expect(guess('اللقب', 'الاسم', 'الجنس', 'القسم', 'تاريخ الولادة', 'رقم التلميذ', 'تاريخ التسجيل')).toEqual([...columns])
    expect(guess('اسم العائلة', 'الاسم الاول', 'النوع', 'الصف', 'تاريخ الميلاد', 'المُعرّف الوحيد', 'تاريخ الإلتحاق')).toEqual([...columns])
  })

  test('finds the server’s own names', () => {
    expect(guess(...columns)).toEqual([...columns])
  })

  test('ignores case, accents, spaces and signs', () => {
    const disguise = fc.constantFrom<(text: string) => string>(
      (text) => text.toUpperCase(),
      (text) => text.normalize('NFD'),
      (text) => ` ${text.replaceAll(' ', '   ')}\u00a0`,
      (text) => text.replaceAll(' ', '_'),
      (text) => `${text}:`,
    )
    const names = fc.constantFrom('last name', 'prénom', 'sexe', 'date de naissance', 'student number', 'classe', 'date of birth')
    fc.assert(
      fc.property(names, disguise, (name, disguised) => {
        expect(guess(disguised(name))).toEqual(guess(name))
        expect(guess(name)).not.toEqual([null])
      }),
    )
  })

  test('returns null for an unknown heading and for an empty one', () => {
    expect(guess('Bus route', '', 'Allergies', 'Parent’s email', 'Year')).toEqual([null, null, null, null, null])
  })

  test('takes «Name» for the last name only beside a column of first names', () => {
    expect(guess('Name', 'First name')).toEqual(['last_name', 'first_name'])
    expect(guess('Name', 'Class')).toEqual([null, 'class'])
    expect(guess('Name', 'Surname', 'First name')).toEqual([null, 'last_name', 'first_name'])
  })

  test('uses no column twice: the more exact heading counts, of equal ones the first', () => {
    expect(guess('ID', 'Student number')).toEqual([null, 'student_number'])
    expect(guess('Nom', 'Nom de famille', 'Prénom')).toEqual([null, 'last_name', 'first_name'])
    expect(guess('Surname', 'Surname')).toEqual(['last_name', null])
    fc.assert(
      fc.property(fc.array(fc.constantFrom('Nom', 'Surname', 'Name', 'Prénom', 'ID', 'No.', 'Classe', 'Group', '?')), (head) => {
        const found = guess(...head).filter((column) => column !== null)
        expect(new Set(found).size).toBe(found.length)
      }),
    )
  })
})
