import type { ClassOverview } from '@markbook/shared/contract/overview'
import { isAllSent, missingIn } from '@markbook/shared/domain/term-progress'

/** A class, with the number of its changeable report books that are older than its marks. */
export type ClassRow = ClassOverview & { outdated: number }

/** A subject of a class, with the class and its class teacher. `is_sent`: all report books of the class are sent. */
export type SubjectRow = ClassOverview['subjects'][number] & Pick<ClassOverview, 'class' | 'class_teacher'> & { is_sent: boolean }

/** The subjects of all classes. `only`: the id of a class whose subjects are wanted; undefined for all. */
export const subjectRows = (classes: readonly ClassOverview[], only: string | undefined): SubjectRow[] =>
  classes
    .filter((each) => only === undefined || each.class.id === only)
    .flatMap((row) =>
      row.subjects.map((subject) => ({ ...subject, class: row.class, class_teacher: row.class_teacher, is_sent: isAllSent(row) })),
    )

/** The marks of a class in all subjects. Once all report books are sent none is missing; what they lack is `missingInSent`. */
export function marksOf(row: Pick<ClassOverview, 'subjects' | 'students' | 'books'>) {
  const { subjects } = row
  const expected = subjects.reduce((sum, each) => sum + each.expected, 0)
  const recorded = subjects.reduce((sum, each) => sum + each.recorded, 0)
  const unassessed = subjects.filter(({ assessments }) => assessments === 0).length
  const lacking = Math.max(0, expected - recorded)
  const isSent = isAllSent(row)
  const ofSent = { missing: 0, missingInSent: lacking, unassessed: 0 }
  return { expected, recorded, ...(isSent ? ofSent : { missing: lacking, missingInSent: 0, unassessed }) }
}

/** Whether the class teacher's remark is known to be in every report book: what is in sent ones is not counted. */
export const hasAllRemarks = ({ made, without_remark, sent }: ClassOverview['books']): boolean =>
  made > 0 && sent === 0 && without_remark === 0

/** Whether every report book is approved or sent; false while some wait for their class teacher. */
export const isAllApproved = ({ made, approved, sent }: ClassOverview['books']): boolean => made > 0 && approved + sent >= made

/** Whether there is open work for the class. */
export const isIncomplete = (row: ClassRow): boolean =>
  missingIn(row).length > 0 || row.books.to_approve + row.books.sent_back + row.outdated > 0

/** Whether a subject has no assessment, or an assessment without some of its marks, and not all report books are sent. */
export const lacksMarks = ({
  assessments,
  expected,
  recorded,
  is_sent,
}: Pick<SubjectRow, 'assessments' | 'expected' | 'recorded' | 'is_sent'>): boolean => !is_sent && (assessments === 0 || recorded < expected)

/** The people whose work is missing, each once. */
export const peopleBehind = (row: ClassOverview) => [
  ...new Map(missingIn(row).flatMap(({ people }) => people.map((person) => [person.id, person] as const))).values(),
]

/** Rows sorted by a number, the greatest first unless `isDown`; equal rows keep their order. Unsorted without `numberOf`. */
export function sorted<T>(rows: readonly T[], numberOf: ((row: T) => number) | undefined, isDown: boolean): T[] {
  const inOrder = numberOf ? [...rows].sort((a, b) => numberOf(b) - numberOf(a)) : [...rows]
  return isDown ? inOrder.reverse() : inOrder
}

/** The open work of all classes. */
export function totalsOf(classes: readonly ClassRow[]) {
  const sum = (of: (row: ClassRow) => number) => classes.reduce((total, row) => total + of(row), 0)
  return {
    classes: classes.length,
    complete: classes.filter((row) => !isIncomplete(row)).length,
    marks: sum((row) => marksOf(row).missing),
    marksInSent: sum((row) => marksOf(row).missingInSent),
    books: sum(({ students, books }) => Math.max(0, students - books.made)),
    remarks: sum(({ books }) => books.without_remark),
    to_approve: sum(({ books }) => books.to_approve),
    sent_back: sum(({ books }) => books.sent_back),
    published: sum(({ books }) => books.published),
    sent: sum(({ books }) => books.sent),
  }
}
