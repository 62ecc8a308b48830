import type { StudentTerm, StudentYear } from '@markbook/shared/contract/calculations'
import type { ReportSnapshot, ReportSnapshotEntry, ReportSnapshotYear } from '@markbook/shared/tables/reporting'
import type { Row } from '@markbook/shared/tables/tables'
import { contentOf } from '@markbook/sync/merge/settle'
import { pick } from '../columns.ts'

type Book = Row<'report_book'>
type Entry = Row<'report_book_entry'>

/** When it was generated, and the scale that its letters were read from. */
type Of = { generated_at: string; scale: Scale }
type Scale = NonNullable<ReportSnapshot['scale']>

/** A `term` report prints the term: its composites, their letters, the overall average and the place in the class. */
export const termSnapshot = (result: StudentTerm, { generated_at, scale }: Of): ReportSnapshot => ({
  generated_at,
  ...pick(result, 'overall_average', 'position', 'total_students'),
  entries: result.subjects.map((subject, index) => ({
    ...pick(subject, 'subject_id', 'coursework_average', 'exam_average', 'term_composite'),
    year_grade: null,
    letter_grade: subject.letter_grade,
    sort_order: index,
    ...printedCodes(subject),
  })),
  scale,
})

const printedCodes = ({ coursework_code, exam_code }: StudentTerm['subjects'][number]) => ({
  ...(coursework_code !== undefined && { coursework_code }),
  ...(exam_code !== undefined && { exam_code }),
})

/** A `year_end` report prints the year, its letters and its place, and beside each year grade the figures of the term it is of. */
export function yearSnapshot(year: StudentYear, term: StudentTerm, { generated_at, scale }: Of): ReportSnapshot {
  const termBySubjectId = new Map(term.subjects.map((subject) => [subject.subject_id, subject]))
  return {
    generated_at,
    overall_average: year.year_overall,
    ...pick(year, 'position', 'total_students'),
    entries: year.subjects.map((subject, index) => {
      const { subject_id, year_grade, letter_grade } = subject
      const { coursework_average = null, exam_average = null, term_composite = null } = termBySubjectId.get(subject_id) ?? {}
      const figures = { coursework_average, exam_average, term_composite, year_grade, letter_grade }
      return { subject_id, ...figures, sort_order: index, year: yearColumns(subject) }
    }),
    scale,
  }
}

const yearColumns = ({ terms, coursework_total, exam_total, end_of_year_exam }: StudentYear['subjects'][number]): ReportSnapshotYear => ({
  terms: terms.map(({ term_id, term_composite }) => ({ term_id, term_composite })),
  coursework_total,
  exam_total,
  end_of_year_exam,
})

/**
 * The new snapshot, or the one that is there where every figure and letter is the same, and the scale that explains them: generating again
 * then changes nothing. A snapshot of an older program, without a scale, is held against the figures alone.
 */
export function refreshed(before: ReportSnapshot, after: ReportSnapshot): ReportSnapshot {
  const said = ({ scale, ...rest }: ReportSnapshot) => JSON.stringify({ ...rest, generated_at: '', ...(before.scale && { scale }) })
  return said(before) === said(after) ? before : after
}

/** The columns of an entry that follow from its book's snapshot; of a subject that is not in it, no figures and the last place. */
export function snapshotColumns({ entries }: ReportSnapshot, subjectId: string) {
  const own: Partial<ReportSnapshotEntry> = entries.find(({ subject_id }) => subject_id === subjectId) ?? {}
  const { coursework_average = null, exam_average = null, term_composite = null, year_grade = null, letter_grade = null } = own
  const { sort_order = entries.length } = own
  return { coursework_average, exam_average, term_composite, year_grade, computed_letter: letter_grade, sort_order }
}

export const shownLetter = ({ manual_letter, computed_letter }: Entry): string | null => manual_letter ?? computed_letter

/** What a teacher typed into an entry, which is never thrown away by a calculation. */
export const isTyped = ({ manual_letter, teacher_remark }: Entry): boolean => Boolean(manual_letter || teacher_remark)

type Named = { student: Pick<Row<'student'>, 'id' | 'first_name' | 'last_name'>; entries: readonly (Entry & { subject: SubjectRef })[] }
type SubjectRef = { id: string; name: string; code: string }

/** What was sent by older programs has no scale. */
export type SentSnapshot = Omit<ReturnType<typeof sentSnapshot>, 'scale'> & { scale?: Scale }

/** The scale that explains the letters of a book: that of the day on which it was sent or generated; undefined where an older program made it. */
export const scaleOfBook = ({ snapshot, sent_snapshot }: Book): Scale | undefined =>
  (sent_snapshot as SentSnapshot | null)?.scale ?? snapshot.scale

/** The report as it went to the ministry: what it showed, by the names of that day. */
export const sentSnapshot = (book: Book, { student, entries }: Named, { sent_at, scale }: { sent_at: string; scale: Scale }) => ({
  sent_at,
  // Of a book of an older program, which says none, that of the moment.
  scale: book.snapshot.scale ?? scale,
  student: pick(student, 'id', 'first_name', 'last_name'),
  ...pick(book, 'overall_average', 'position', 'total_students', 'class_teacher_remark', 'conduct', 'attendance_percentage'),
  entries: entries.map((entry) => ({
    ...pick(entry, 'subject', 'coursework_average', 'exam_average', 'term_composite', 'year_grade'),
    letter_grade: shownLetter(entry),
    ...pick(entry, 'teacher_remark', 'sort_order'),
  })),
  // In the columns that teachers write, so that on every node exactly this stands from then on (sync/SPEC.md, «Rules between rows»).
  frozen: contentOf(book, entries),
})
