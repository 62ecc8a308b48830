import type { ClassTerm, ClassYear } from '@markbook/shared/contract/calculations'
import { isPartialResult } from '@markbook/shared/domain/partial'
import type { Row } from '@markbook/shared/tables/tables'
import type { BroadsheetInput, BroadsheetPupil } from '../../../documents/broadsheet/broadsheet.input.ts'
import type { ObjectStorage } from '../../../files/storage.ts'
import { pick } from '../../../store/conditions.ts'
import type { ReadTx } from '../../../store/tx.ts'
import { classTermResults, classYearResults, subjectsToName } from '../../calculations/calculations.policy.ts'
import { studentsOfClass } from '../../classes/classes.policy.ts'
import { booksOfType, entriesOfBooks } from '../reports.queries.ts'
import type { Printing } from './pdf-storage.ts'
import { type ClassHead, type ClassPeriod, letterheadOf, readHead } from './report-card-data.ts'

type Result = { subject_id: string; figure: number | null; letter_grade: string | null; is_partial: boolean }
type Pupil = Pick<BroadsheetPupil, 'overall_average' | 'letter_grade' | 'position'> & { student_id: string; results: Result[] }

/** Everything that the broadsheet of a class needs from the database. */
export type BroadsheetData = { head: ClassHead; subjects: BroadsheetInput['subjects']; pupils: BroadsheetPupil[] }

const ofTerm = ({ students }: ClassTerm): Pupil[] =>
  students.map(({ subjects, ...own }) => ({
    ...own,
    results: subjects.map((subject) => ({ ...subject, figure: subject.term_composite, is_partial: isPartialResult(subject) })),
  }))

const ofYear = ({ students }: ClassYear): Pupil[] =>
  students.map(({ subjects, year_overall, ...own }) => ({
    ...own,
    overall_average: year_overall,
    results: subjects.map((subject) => ({ ...subject, figure: subject.year_grade, is_partial: isPartialResult(subject) })),
  }))

/** Letters that a teacher typed into the reports, by student and subject. */
async function typedLetters(tx: ReadTx, { group, term, type }: ClassPeriod): Promise<ReadonlyMap<string, string>> {
  const books = await booksOfType(tx, { school: group.school_id, group: group.id, term: term.id }, type)
  const studentByBookId = new Map(books.map(({ id, student_id }) => [id, student_id]))
  const entries = await entriesOfBooks(tx, { school: group.school_id, books: JSON.stringify([...studentByBookId.keys()]) })
  return new Map(
    entries.flatMap(({ report_book_id, subject_id, manual_letter }) =>
      manual_letter === null ? [] : [[`${studentByBookId.get(report_book_id)} ${subject_id}`, manual_letter] as const],
    ),
  )
}

function pupilOf(student: Row<'student'>, pupil: Pupil, typed: ReadonlyMap<string, string>): BroadsheetPupil {
  const marks = pupil.results.map(({ subject_id: id, figure, letter_grade, is_partial }) => {
    const letter = typed.get(`${student.id} ${id}`) ?? letter_grade
    return [id, figure === null ? null : { figure, letter, is_partial }] as const
  })
  return {
    ...pick(student, 'first_name', 'last_name', 'student_number', 'gender'),
    marks: Object.fromEntries(marks),
    ...pick(pupil, 'overall_average', 'letter_grade', 'position'),
  }
}

/**
 * Reads the content of a class's broadsheet in one transaction: the present results, as in `class-term` and `class-year`, and the typed
 * letters. Pupils by last name, subjects in the school's order.
 */
export async function readBroadsheet(tx: ReadTx, period: ClassPeriod, printing: Printing): Promise<BroadsheetData> {
  const { group, term, year, type } = period
  const school = group.school_id
  const results = type === 'term' ? ofTerm(await classTermResults(tx, group, term)) : ofYear(await classYearResults(tx, group, year))
  const studentById = new Map((await studentsOfClass(tx, { school, group: group.id })).map((student) => [student.id, student]))
  const typed = await typedLetters(tx, period)
  const taken = new Set(results.flatMap((pupil) => pupil.results.map(({ subject_id }) => subject_id)))
  const subjects = (await subjectsToName(tx, { school }))
    .filter(({ id }) => taken.has(id))
    .sort((a, b) => a.sort_order - b.sort_order || (a.code < b.code ? -1 : 1))
    .map(({ id, name, code }) => ({ id, name, code }))
  const pupils = results.flatMap((result) => {
    const student = studentById.get(result.student_id)
    return student ? [pupilOf(student as Row<'student'>, result, typed)] : []
  })
  return { head: await readHead(tx, period, printing), subjects, pupils }
}

/** The input for making the document, with the crest read from the storage. */
export async function broadsheetInput({ head, subjects, pupils }: BroadsheetData, files: ObjectStorage): Promise<BroadsheetInput> {
  return { ...head.frame, report_type: head.titled.type, school: await letterheadOf(head, files), subjects, pupils }
}
