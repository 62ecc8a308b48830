import { buffer } from 'node:stream/consumers'
import { fullName } from '@markbook/shared/domain/full-name'
import { standardMarkCodes } from '@markbook/shared/domain/mark-codes'
import { common } from '@markbook/shared/failures'
import { groupedBy } from '@markbook/shared/grouped-by'
import type { ReportSnapshotYear, ReportWeights } from '@markbook/shared/tables/reporting'
import type { Row } from '@markbook/shared/tables/tables'
import type {
  Letterhead,
  ReportCard,
  ReportCardLayout,
  ReportCardsInput,
  TermEntry,
  TermLayout,
  YearEntry,
  YearLayout,
} from '../../../documents/report-card/report-card.input.ts'
import { imageObject } from '../../../files/image-address.ts'
import type { ObjectStorage } from '../../../files/storage.ts'
import { pick } from '../../../store/conditions.ts'
import type { ReadTx } from '../../../store/tx.ts'
import { subjectsToName } from '../../calculations/calculations.policy.ts'
import { subjectsTaughtIn, teachersOfClass } from '../../classes/classes.policy.ts'
import { gradingScaleOf } from '../../grading-scale/grading-scale.policy.ts'
import { setTeachersOfClass } from '../../teaching-sets/teaching-sets.policy.ts'
import { termsOfYear } from '../../terms/terms.policy.ts'
import { paperHashOf } from '../approval.ts'
import { entriesOfBooks } from '../reports.queries.ts'
import { inSnapshot, type Period, type SentSnapshot, scaleOfBook, shownLetter, weightsNow, weightsOfBook } from '../snapshot.ts'
import { titledOf } from './names.ts'
import type { Printing } from './pdf-storage.ts'
import { schoolById, studentsById } from './report-files.queries.ts'

type Book = Row<'report_book'>
type Entry = Row<'report_book_entry'>
type Subject = Awaited<ReturnType<typeof subjectsToName>>[number]
/** A class and the period of its documents. */
export type ClassPeriod = { group: Row<'student_group'> } & Period
/** The common content of a class's documents, except the crest, which is a file. */
export type ClassHead = Awaited<ReturnType<typeof readHead>>

/** The data of a class's cards from the database. `contents`: the hash of each book's content, by its id (`paperHashOf`). */
export type ReportCardData = { head: ClassHead; cards: Cards; contents: ReadonlyMap<string, string> }
type Cards = { layout: TermLayout; cards: ReportCard<TermEntry>[] } | { layout: YearLayout; cards: ReportCard<YearEntry>[] }

/** Class teacher, subject teachers by subject id. */
async function teachersIn(tx: ReadTx, { school_id: school, id: group }: Row<'student_group'>) {
  const teachers = await teachersOfClass(tx, { school, group })
  const nameById = new Map(teachers.map((teacher) => [teacher.id, fullName(teacher)]))
  const bySubject = new Map<string, string[]>()
  for (const { teacher_id, id } of await subjectsTaughtIn(tx, { school, group })) {
    const name = nameById.get(teacher_id)
    if (name) bySubject.set(id, [...(bySubject.get(id) ?? []), name])
  }
  const classTeacher = teachers.find(({ id, class_teacher_id }) => id === class_teacher_id)
  return { classTeacher: classTeacher ? fullName(classTeacher) : null, bySubject }
}

/** The teachers of a student's subjects: of a subject that the student has in a set, those of the set. */
async function teachersByStudent(tx: ReadTx, group: Row<'student_group'>) {
  const { bySubject } = await teachersIn(tx, group)
  const inSets = groupedBy(await setTeachersOfClass(tx, { school: group.school_id, group: group.id }), ({ student_id }) => student_id)
  return (student: string): Teachers => {
    const own = groupedBy(inSets.get(student) ?? [], ({ subject_id }) => subject_id)
    return new Map([...bySubject, ...[...own].map(([subject, teachers]) => [subject, [...new Set(teachers.map(fullName))]] as const)])
  }
}

/** Name, address and crest of the school; class, year and term. */
export async function readHead(tx: ReadTx, { group, term, year, type }: ClassPeriod, { paper, language }: Printing) {
  const [school] = await schoolById(tx, { id: group.school_id })
  if (!school) throw common.notFound()
  const { classTeacher } = await teachersIn(tx, group)
  const { name, address, email, phone, crest_path, crest_sha256, crest_type } = school
  return {
    schoolId: school.id,
    school: { name, address, email, phone },
    crest: crest_path && crest_type ? { path: imageObject(crest_path, crest_sha256), contentType: crest_type } : null,
    titled: titledOf({ group, year, term }, type),
    frame: {
      class_name: group.name,
      year: year.name,
      term: term.name,
      class_teacher: classTeacher,
      scale: await gradingScaleOf(tx, group),
      codes: school.mark_codes ?? standardMarkCodes,
      paper,
      language: language ?? school.document_language ?? 'en',
      madeAt: tx.nowMs,
    },
  }
}

/** The letterhead with the crest from the storage; a missing crest does not prevent printing. */
export async function letterheadOf({ school, crest }: Pick<ClassHead, 'school' | 'crest'>, files: ObjectStorage): Promise<Letterhead> {
  const opened = crest && (await files.open('images', crest.path))
  return { ...school, crest: opened && { contentType: crest.contentType, bytes: await buffer(opened.body) } }
}

type ReportedSubject = { name: string; entry: Entry }

/** A sent report is printed with the names at that time, any other with the present ones. */
function shownEntries(book: Book, entries: readonly Entry[], subjectById: ReadonlyMap<string, Subject>): ReportedSubject[] {
  const sent = book.sent_snapshot as SentSnapshot | null
  const nameThen = new Map(sent?.entries.map(({ subject }) => [subject.id, subject.name]))
  const place = (entry: Entry) => [entry.sort_order, subjectById.get(entry.subject_id)?.sort_order ?? 0] as const
  return [...entries]
    .sort((a, b) => place(a)[0] - place(b)[0] || place(a)[1] - place(b)[1])
    .map((entry) => ({ name: nameThen.get(entry.subject_id) ?? subjectById.get(entry.subject_id)?.name ?? '', entry }))
}

type Teachers = ReadonlyMap<string, readonly string[]>
const ofSubject = ({ name, entry }: ReportedSubject, teachers: Teachers) => ({
  subject: name,
  teacher: teachers.get(entry.subject_id)?.join(', ') ?? null,
  letter_grade: shownLetter(entry),
  teacher_remark: entry.teacher_remark,
})

function termEntry(reported: ReportedSubject, book: Book, teachers: Teachers): TermEntry {
  const { coursework_code, exam_code } = inSnapshot(book, reported.entry.subject_id)
  return {
    ...ofSubject(reported, teachers),
    ...pick(reported.entry, 'coursework_average', 'exam_average', 'term_composite'),
    ...(coursework_code !== undefined && { coursework_code }),
    ...(exam_code !== undefined && { exam_code }),
  }
}

function yearEntry(reported: ReportedSubject, book: Book, terms: readonly Row<'term'>[], teachers: Teachers): YearEntry {
  const { year_grade } = reported.entry
  const year: Partial<ReportSnapshotYear> = inSnapshot(book, reported.entry.subject_id).year ?? {}
  const { terms: kept = [], coursework_total = null, exam_total = null, end_of_year_exam = null } = year
  const keptById = new Map(kept.map((term) => [term.term_id, term]))
  const term_composites = terms.map(({ id }) => keptById.get(id)?.term_composite ?? null)
  const partial_terms = terms.map(({ id }) => keptById.get(id)?.is_partial === true)
  return { ...ofSubject(reported, teachers), term_composites, partial_terms, coursework_total, exam_total, end_of_year_exam, year_grade }
}

/** The terms whose figures a year-end book keeps, all of its year where it keeps none: a term that was added later has no column. */
function termsOfBook({ snapshot }: Book, terms: readonly Row<'term'>[]): readonly Row<'term'>[] {
  const kept = new Set(snapshot.entries.flatMap(({ year }) => year?.terms.map(({ term_id }) => term_id) ?? []))
  return kept.size === 0 ? terms : terms.filter(({ id }) => kept.has(id))
}

type CardOf<Entry> = { student: Row<'student'>; entries: Entry[]; layout: ReportCardLayout }

function cardOf<Entry>(book: Book, { student, entries, layout }: CardOf<Entry>): ReportCard<Entry> {
  const scale = scaleOfBook(book)
  const { first_name, last_name } = (book.sent_snapshot as SentSnapshot | null)?.student ?? student
  return {
    ...pick(book, 'id', 'status', 'overall_average', 'position', 'total_students'),
    ...pick(book, 'attendance_percentage', 'conduct', 'class_teacher_remark'),
    ...(book.snapshot.attendance && { attendance: book.snapshot.attendance }),
    student: { first_name, last_name, ...pick(student, 'student_number', 'date_of_birth') },
    entries,
    ...(scale && { scale: { passMark: scale.pass_mark, bands: scale.bands } }),
    layout,
  }
}

const termLayout = (now: Row<'term'>, { coursework_weight, exam_weight }: ReportWeights): TermLayout => ({
  kind: 'term',
  coursework_weight: coursework_weight ?? now.coursework_weight,
  exam_weight: exam_weight ?? now.exam_weight,
})

const yearLayout = (now: Row<'academic_year'>, terms: readonly Row<'term'>[], weights: ReportWeights): YearLayout => ({
  kind: weights.calculation_model ?? now.calculation_model,
  terms: terms.map(({ name }) => name),
  coursework_weight: weights.coursework_weight,
  exam_weight: weights.exam_weight,
})

/**
 * Reads everything that the cards of these reports print, in one transaction, by last name. The figures are those of the reports, not of
 * the present marks; a year-end report has all its figures in its snapshot.
 */
export async function readReportCards(
  tx: ReadTx,
  period: ClassPeriod,
  books: readonly Book[],
  printing: Printing,
): Promise<ReportCardData> {
  const { group, term, year, type } = period
  const school = group.school_id
  const head = await readHead(tx, period, printing)
  const teachersOf = await teachersByStudent(tx, group)
  const subjectById = new Map((await subjectsToName(tx, { school })).map((subject) => [subject.id, subject]))
  const entries = await entriesOfBooks(tx, { school, books: JSON.stringify(books.map(({ id }) => id)) })
  const entriesByBookId = groupedBy(entries, ({ report_book_id }) => report_book_id)
  const contents = new Map(books.map((book) => [book.id, paperHashOf(book, entriesByBookId.get(book.id) ?? [])]))
  const bookByStudentId = new Map(books.map((book) => [book.student_id, book]))
  const students = await studentsById(tx, { school, ids: JSON.stringify(books.map(({ student_id }) => student_id)) })
  const now = weightsNow({ term, year, type })
  type ToCard<E> = { entryOf: (shown: ReportedSubject) => E; layout: ReportCardLayout }
  const cardsWith = <E>(toCard: (book: Book) => ToCard<E>): ReportCard<E>[] =>
    students.map((student) => {
      const book = bookByStudentId.get(student.id) as Book
      const { entryOf, layout } = toCard(book)
      const entries = shownEntries(book, entriesByBookId.get(book.id) ?? [], subjectById).map(entryOf)
      return cardOf(book, { student, entries, layout })
    })
  if (type === 'term') {
    const cards = cardsWith((book) => {
      const teachers = teachersOf(book.student_id)
      return { entryOf: (shown) => termEntry(shown, book, teachers), layout: termLayout(term, weightsOfBook(book) ?? now) }
    })
    return { head, contents, cards: { layout: termLayout(term, now), cards } }
  }
  const all = await termsOfYear(tx, { school, year: year.id })
  const cards = cardsWith((book) => {
    const terms = termsOfBook(book, all)
    const teachers = teachersOf(book.student_id)
    return { entryOf: (shown) => yearEntry(shown, book, terms, teachers), layout: yearLayout(year, terms, weightsOfBook(book) ?? now) }
  })
  return { head, contents, cards: { layout: yearLayout(year, all, now), cards } }
}

/** The input for making the documents, with the crest read from the storage. */
export async function cardsInput({ head, cards }: Pick<ReportCardData, 'head' | 'cards'>, files: ObjectStorage): Promise<ReportCardsInput> {
  return { ...head.frame, school: await letterheadOf(head, files), ...cards }
}
