import type { StudentTerm, StudentYear } from '@markbook/shared/contract/calculations'
import type { ReportSnapshot, ReportSnapshotEntry, ReportSnapshotYear, ReportWeights } from '@markbook/shared/tables/reporting'
import type { Row } from '@markbook/shared/tables/tables'
import { contentOf } from '@markbook/sync/merge/settle'
import { pick } from '../../store/conditions.ts'

type Book = Row<'report_book'>
type Entry = Row<'report_book_entry'>

/** The time of generation, the scale of its letters, and the weights of its figures. */
type Of = { generated_at: string; scale: Scale; weights: ReportWeights }
type Scale = NonNullable<ReportSnapshot['scale']>

/** The snapshot of a `term` report: the term's composites, their letters, the overall average and the position in the class. */
export const termSnapshot = (result: StudentTerm, { generated_at, scale, weights }: Of): ReportSnapshot => ({
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
  weights,
})

const printedCodes = ({ coursework_code, exam_code }: StudentTerm['subjects'][number]) => ({
  ...(coursework_code !== undefined && { coursework_code }),
  ...(exam_code !== undefined && { exam_code }),
})

/**
 * The snapshot of a `year_end` report: the year grades, their letters and the position, and beside each year grade the figures of the
 * report's term.
 */
export function yearSnapshot(year: StudentYear, term: StudentTerm, { generated_at, scale, weights }: Of): ReportSnapshot {
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
    weights,
  }
}

const yearColumns = ({ terms, coursework_total, exam_total, end_of_year_exam }: StudentYear['subjects'][number]): ReportSnapshotYear => ({
  terms: terms.map(({ term_id, term_composite, is_partial }) => ({ term_id, term_composite, ...(is_partial && { is_partial }) })),
  coursework_total,
  exam_total,
  end_of_year_exam,
})

/**
 * The new snapshot, or the present one where all figures, letters, the scale and the weights are equal, so that generating again changes
 * nothing. The snapshot of an older program, without scale or weights, is compared by figures only; without weights, also without its
 * partial terms.
 */
export function refreshed(before: ReportSnapshot, after: ReportSnapshot): ReportSnapshot {
  // Only where it must: a replacer makes the comparison of a school's books five times as slow.
  const isSaid = before.weights ? undefined : (key: string, value: unknown) => (key === 'is_partial' ? undefined : value)
  const said = ({ scale, weights, ...rest }: ReportSnapshot) =>
    JSON.stringify({ ...rest, generated_at: '', ...(before.scale && { scale }), ...(before.weights && { weights }) }, isSaid)
  return said(before) === said(after) ? before : after
}

/** The columns of an entry that are copied from its book's snapshot; for a subject that is not in it, no figures and the last place. */
export function snapshotColumns(snapshot: ReportSnapshot, subjectId: string) {
  const own = inSnapshot({ snapshot }, subjectId)
  const { coursework_average = null, exam_average = null, term_composite = null, year_grade = null, letter_grade = null } = own
  const { sort_order = snapshot.entries.length } = own
  return { coursework_average, exam_average, term_composite, year_grade, computed_letter: letter_grade, sort_order }
}

export const shownLetter = ({ manual_letter, computed_letter }: Entry): string | null => manual_letter ?? computed_letter

type Named = { student: Pick<Row<'student'>, 'id' | 'first_name' | 'last_name'>; entries: readonly (Entry & { subject: SubjectRef })[] }
type SubjectRef = { id: string; name: string; code: string }

type Sending = { sent_at: string; scale: Scale; weights: ReportWeights; was_behind: boolean }

/** Reports sent by older programs have no scale, no weights, or no `was_behind`. */
export type SentSnapshot = Omit<ReturnType<typeof sentSnapshot>, 'scale' | 'weights'> & Pick<ReportSnapshot, 'scale' | 'weights'>

/** The scale of the letters of a book: that of the day on which it was sent or generated; undefined where an older program made it. */
export const scaleOfBook = ({ snapshot, sent_snapshot }: Book): Scale | undefined =>
  (sent_snapshot as SentSnapshot | null)?.scale ?? snapshot.scale

/** Whether the marks gave other results than those of a book when it was sent; false where an older program sent it. */
export const wasBehind = ({ sent_snapshot }: Book): boolean => (sent_snapshot as Partial<SentSnapshot> | null)?.was_behind === true

/** The weights of the figures of a book; undefined where an older program made it. */
export const weightsOfBook = ({ snapshot, sent_snapshot }: Book): ReportWeights | undefined =>
  (sent_snapshot as SentSnapshot | null)?.weights ?? snapshot.weights

/** The period of reports: a term, with its year. */
export type Period = { term: Row<'term'>; year: Row<'academic_year'>; type: Book['report_type'] }

/** The present weights of a report's figures. */
export function weightsNow({ term, year, type }: Period): ReportWeights {
  if (type === 'term') return pick(term, 'coursework_weight', 'exam_weight')
  const { calculation_model, year_coursework_weight: coursework_weight, year_exam_weight: exam_weight } = year
  return { coursework_weight, exam_weight, calculation_model }
}

/** The entry of a subject in the snapshot of a book. */
export const inSnapshot = ({ snapshot }: Pick<Book, 'snapshot'>, subjectId: string): Partial<ReportSnapshotEntry> =>
  snapshot.entries.find(({ subject_id }) => subject_id === subjectId) ?? {}

/** The content of a report sent to the ministry: its figures, with the names at that time. */
export const sentSnapshot = (book: Book, { student, entries }: Named, { sent_at, scale, weights, was_behind }: Sending) => ({
  sent_at,
  was_behind,
  // The book of an older program has neither; it gets the present ones.
  scale: book.snapshot.scale ?? scale,
  weights: book.snapshot.weights ?? weights,
  student: pick(student, 'id', 'first_name', 'last_name'),
  ...pick(book, 'overall_average', 'position', 'total_students', 'class_teacher_remark', 'conduct', 'attendance_percentage'),
  entries: entries.map((entry) => ({
    ...pick(entry, 'subject', 'coursework_average', 'exam_average', 'term_composite', 'year_grade'),
    letter_grade: shownLetter(entry),
    ...pick(entry, 'teacher_remark', 'sort_order'),
  })),
  // The columns that teachers write, so that every node keeps exactly this content (sync/SPEC.md, «Rules between rows»).
  frozen: contentOf(book, entries),
})
