import { isLocked } from '@markbook/shared/domain/report-moves'
import { groupedBy } from '@markbook/shared/grouped-by'
import { isTyped, type ReportSnapshot } from '@markbook/shared/tables/reporting'
import type { Row } from '@markbook/shared/tables/tables'
import { atOneMoment } from '../../store/feed-position.ts'
import type { Change, NewRow, ReadTx, WriteTx } from '../../store/tx.ts'
import { totalsOfClass } from '../attendance/attendance.policy.ts'
import {
  classResultsOfYearAndTerm,
  classTermResults,
  placeIn,
  unplacedTermResults,
  unplacedYearResults,
} from '../calculations/calculations.policy.ts'
import { gradingScaleOf, rowOfScale } from '../grading-scale/grading-scale.policy.ts'
import { orNotFound } from '../references.ts'
import { withoutApproval } from './approval.ts'
import { periodOfBook, studentOf } from './reports.policy.ts'
import { booksOfStudents, entriesOfBooks } from './reports.queries.ts'
import { type Period, refreshed, snapshotColumns, termSnapshot, weightsNow, yearSnapshot } from './snapshot.ts'

type Book = Row<'report_book'>
type Entry = Row<'report_book_entry'>
type Generated = { generated: number; skipped_locked: number; reports: Book[] }

/**
 * Generates or updates the reports of a class. Only snapshots are written: typed content stays, and sent reports are unchanged (decisions
 * §6). The caller has locked the class, so concurrent generations run one after the other.
 */
export async function generateReports(tx: WriteTx, group: Row<'student_group'>, period: Period): Promise<Generated> {
  const snapshots = await atOneMoment(tx, group.school_id, () => snapshotsOfClass(tx, group, period))
  const students = JSON.stringify([...snapshots.keys()])
  const existing = await booksOfStudents(tx, { school: group.school_id, term: period.term.id, type: period.type, students })
  const written = await writeBooks(tx, { group, period, snapshots, existing })
  await writeEntries(tx, written)
  const bookByStudentId = new Map([...existing, ...written].map((book) => [book.student_id, book]))
  return {
    generated: written.length,
    skipped_locked: existing.filter(({ status }) => isLocked(status)).length,
    reports: [...snapshots.keys()].flatMap((id) => bookByStudentId.get(id) ?? []),
  }
}

/** Updates one report, with the student's position in the present class; the other reports are unchanged. */
export async function regenerateReport(tx: WriteTx, book: Book): Promise<Book> {
  const snapshot = await atOneMoment(tx, book.school_id, () => snapshotOfBook(tx, book))
  const updated = await tx.update('report_book', book, withoutApproval(book, { snapshot: refreshed(book.snapshot, snapshot) }))
  await writeEntries(tx, [updated])
  return updated
}

/** Snapshots by student, in the order of last names. */
export async function snapshotsOfClass(tx: ReadTx, group: Row<'student_group'>, period: Period): Promise<Map<string, ReportSnapshot>> {
  const results = await resultsOfClass(tx, group, period)
  const attendance = await totalsOfClass(tx, group, period.type === 'term' ? period.term : period.year)
  return new Map(
    [...results].map(([id, snapshot]) => {
      const own = attendance.get(id)
      return [id, own && own.sessions > 0 ? { ...snapshot, attendance: own } : snapshot]
    }),
  )
}

async function resultsOfClass(tx: ReadTx, group: Row<'student_group'>, period: Period): Promise<Map<string, ReportSnapshot>> {
  const { term, year, type } = period
  const of = { generated_at: tx.now, scale: rowOfScale(await gradingScaleOf(tx, group)), weights: weightsNow(period) }
  if (type === 'term') {
    const { students } = await classTermResults(tx, group, term)
    return new Map(students.map((student) => [student.student_id, termSnapshot(student, of)]))
  }
  const { ofYear, ofTerm } = await classResultsOfYearAndTerm(tx, group, year, term)
  const termByStudentId = new Map(ofTerm.students.map((student) => [student.student_id, student]))
  return new Map(
    ofYear.students.flatMap((student) => {
      const ownTerm = termByStudentId.get(student.student_id)
      return ownTerm ? [[student.student_id, yearSnapshot(student, ownTerm, of)] as const] : []
    }),
  )
}

async function snapshotOfBook(tx: ReadTx, book: Book): Promise<ReportSnapshot> {
  const student = await studentOf(tx, book)
  const period = await periodOfBook(tx, book)
  const { term, year, type } = period
  const group = await placeIn(tx, student, year.id)
  const placed = group && (await snapshotsOfClass(tx, group, period)).get(student.id)
  if (placed) return placed
  const of = { generated_at: tx.now, scale: rowOfScale(await gradingScaleOf(tx, term)), weights: weightsNow(period) }
  const ofTerm = await unplacedTermResults(tx, student, term)
  return type === 'term' ? termSnapshot(ofTerm, of) : yearSnapshot(await unplacedYearResults(tx, student, year), ofTerm, of)
}

type Writing = { group: Row<'student_group'>; period: Period; snapshots: ReadonlyMap<string, ReportSnapshot>; existing: readonly Book[] }

/** The report of a student who came from another class moves to the class that generates it. */
async function writeBooks(tx: WriteTx, { group, period: { term, type }, snapshots, existing }: Writing): Promise<Book[]> {
  const bookByStudentId = new Map(existing.map((book) => [book.student_id, book]))
  const fresh: NewRow<'report_book'>[] = []
  const changes: Change<'report_book'>[] = []
  const { id: student_group_id, school_id, academic_year_id } = group
  const ofClass = { school_id, academic_year_id, term_id: term.id, student_group_id, report_type: type, status: 'draft' as const }
  for (const [student_id, snapshot] of snapshots) {
    const before = bookByStudentId.get(student_id)
    if (!before) fresh.push({ ...ofClass, student_id, snapshot, total_students: snapshot.total_students })
    else if (!isLocked(before.status)) {
      const patch = withoutApproval(before, { snapshot: refreshed(before.snapshot, snapshot), student_group_id: group.id })
      changes.push({ before, patch })
    }
  }
  return [...(await tx.insert('report_book', fresh).catch(orNotFound)), ...(await tx.update('report_book', changes))]
}

/**
 * Writes the snapshots of some books into their entries. The books, and so their entries, are locked. The entry of a subject that the
 * student does not take any more is deleted, unless a teacher typed a remark or a letter: it then stays without figures.
 */
async function writeEntries(tx: WriteTx, books: readonly Book[]): Promise<void> {
  const [first] = books
  if (!first) return
  const stored = await entriesOfBooks(tx, { school: first.school_id, books: JSON.stringify(books.map(({ id }) => id)) })
  const entriesByBookId = groupedBy(stored, ({ report_book_id }) => report_book_id)
  const fresh: NewRow<'report_book_entry'>[] = []
  const changes: Change<'report_book_entry'>[] = []
  const gone: Entry[] = []
  for (const { id, school_id, snapshot } of books) {
    const own = entriesByBookId.get(id) ?? []
    const taken = new Set(snapshot.entries.map(({ subject_id }) => subject_id))
    const there = new Set(own.map(({ subject_id }) => subject_id))
    for (const subject_id of taken)
      if (!there.has(subject_id)) fresh.push({ school_id, report_book_id: id, subject_id, ...snapshotColumns(snapshot, subject_id) })
    for (const entry of own)
      if (taken.has(entry.subject_id) || isTyped(entry)) changes.push({ before: entry, patch: snapshotColumns(snapshot, entry.subject_id) })
      else gone.push(entry)
  }
  await tx.insert('report_book_entry', fresh).catch(orNotFound)
  await tx.update('report_book_entry', changes)
  await tx.remove('report_book_entry', gone)
}
