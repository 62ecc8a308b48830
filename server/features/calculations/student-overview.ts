import type { calculations, StudentOverview } from '@markbook/shared/contract/calculations'
import { may } from '@markbook/shared/domain/access'
import { missingMarks } from '@markbook/shared/domain/missing-marks'
import type { Row } from '@markbook/shared/tables/tables'
import type { Handler, HandlerContext } from '../../http/handler.ts'
import { personalDataSeenBy, seenPupil } from '../../replication/scope/personal-data.ts'
import { activeYearOf } from '../academic-years/academic-years.policy.ts'
import { type ClassFacts, classFactsOf, factsAbout, rowOf } from '../policy.ts'
import { termsOfYear } from '../terms/terms.policy.ts'
import { marksOfStudent } from './calculations.policy.ts'
import { questionOf } from './kept-results.policy.ts'
import { reviewedClassTerm } from './reviewed-results.ts'
import { booksOfStudent, classesOfStudent, pdfsOfBooks } from './student-overview.queries.ts'

type Overview = StudentOverview
type Context = HandlerContext<typeof calculations.student>
type Student = Row<'student'>
type ClassOfStudent = Awaited<ReturnType<typeof classesOfStudent>>[number] & { facts: ClassFacts; terms: Row<'term'>[] }
type Result = NonNullable<Overview['classes'][number]['terms'][number]['result']>
/** The part of the overview that the transaction reads; the results of classes follow after it. */
type PendingOverview = {
  overview: Omit<Overview, 'classes'>
  classes: (Omit<Overview['classes'][number], 'terms'> & { terms: PendingTerm[] })[]
}
type PendingTerm = { term: Overview['classes'][number]['terms'][number]['term']; result: () => Promise<Result | null> }

/** One pupil, as far as the caller may see each part: a class that is not the caller's is omitted with its results and books. */
export const studentOverview: Handler<typeof calculations.student, Student, unknown, PendingOverview> = {
  kind: 'transaction',
  as: 'user',
  load: (context, { params }) => rowOf(context, 'student', params.id),
  run: async (context, _input, student) => {
    const places = await placesSeen(context, student)
    const classes: PendingOverview['classes'] = []
    for (const place of places) classes.push(await askedClass(context, student, place))
    const shown = seenPupil(await personalDataSeenBy(context))(student)
    return {
      overview: { student: shown, books: await booksSeen(context, student), missing: await missingNow(context, student, places) },
      classes,
    }
  },
  finish: async ({ overview, classes }) => {
    const answered: Overview['classes'] = []
    for (const { terms, ...place } of classes) {
      const results = []
      for (const { term, result } of terms) results.push({ term, result: await result() })
      answered.push({ ...place, terms: results })
    }
    return { ...overview, classes: answered }
  },
}

async function placesSeen(context: Context, student: Student): Promise<ClassOfStudent[]> {
  const places: ClassOfStudent[] = []
  for (const place of await classesOfStudent(context.tx, { school: student.school_id, student: student.id })) {
    const facts = await classFactsOf(context, place.group.id)
    if (!may('readStudentResults', factsAbout(context.caller, facts))) continue
    places.push({ ...place, facts, terms: await termsOfYear(context.tx, { school: student.school_id, year: place.year.id }) })
  }
  return places
}

async function askedClass(
  context: Context,
  student: Student,
  { group, year, leader, terms }: ClassOfStudent,
): Promise<PendingOverview['classes'][number]> {
  const asked: PendingTerm[] = []
  for (const term of terms) {
    const own = ({ students: all }: { students: (Result & { student_id: string })[] }) =>
      all.find((one) => one.student_id === student.id) ?? null
    const result = await questionOf(context, 'class-term', [group.id, term.id], (tx) => reviewedClassTerm(tx, group, term), own)
    asked.push({ term, result: result as () => Promise<Result | null> })
  }
  const named = leader?.id ? { id: leader.id, first_name: leader.first_name, last_name: leader.last_name } : null
  return { id: group.id, name: group.name, academic_year: { id: year.id, name: year.name }, class_teacher: named, terms: asked }
}

/** The report books that the caller may read, each with its newest PDF. */
async function booksSeen(context: Context, { school_id: school, id: student }: Student): Promise<Overview['books']> {
  const books: Row<'report_book'>[] = []
  const facts = new Map<string, ClassFacts>()
  for (const book of await booksOfStudent(context.tx, { school, student })) {
    const known = facts.get(book.student_group_id) ?? (await classFactsOf(context, book.student_group_id))
    facts.set(book.student_group_id, known)
    if (may('reports', factsAbout(context.caller, known))) books.push(book)
  }
  const pdfs = await pdfsOfBooks(context.tx, { school, books: JSON.stringify(books.map(({ id }) => id)) })
  const newest = new Map(pdfs.map((pdf) => [pdf.report_book_id, pdf.id]))
  return books.map(({ id, student_group_id, academic_year_id, term_id, report_type, status, ...book }) => {
    return {
      id,
      student_group_id,
      academic_year_id,
      term_id,
      report_type,
      status,
      approved_at: book.approved_at,
      pdf_id: newest.get(id) ?? null,
    }
  })
}

/** The missing marks of the active year: of every subject for the class teacher and administrators, else of the caller's own subjects. */
async function missingNow(context: Context, student: Student, places: readonly ClassOfStudent[]): Promise<Overview['missing']> {
  const register = await activeYearOf(context.tx, student.school_id)
  const place = places.find(({ year }) => year.id === register?.academic_year_id)
  if (!place) return []
  const isWhole = may('reports', factsAbout(context.caller, place.facts))
  const found: Overview['missing'] = []
  for (const term of place.terms) {
    const missing = missingMarks(await marksOfStudent(context.tx, student, place.group, term))
    found.push(...missing.map(({ students: _, ...one }) => ({ ...one, term_id: term.id })))
  }
  return found.filter(({ subject_id }) => isWhole || place.facts.subjectIds.has(subject_id))
}
