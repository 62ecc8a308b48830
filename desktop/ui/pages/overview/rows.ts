import type { ClassOverview } from '@markbook/shared/contract/overview'
import { missingIn } from '@markbook/shared/domain/term-progress'

/** A class, and how many of its books that can still change are older than its marks. */
export type ClassRow = ClassOverview & { outdated: number }

/** A subject of a class, with whose it is. */
export type SubjectRow = ClassOverview['subjects'][number] & Pick<ClassOverview, 'class' | 'class_teacher'>

export const subjectRows = (classes: readonly ClassOverview[], only: string | undefined): SubjectRow[] =>
  classes
    .filter((each) => only === undefined || each.class.id === only)
    .flatMap(({ subjects, class: group, class_teacher }) => subjects.map((subject) => ({ ...subject, class: group, class_teacher })))

/** Marks of a class over all its subjects. */
export function marksOf({ subjects }: Pick<ClassOverview, 'subjects'>) {
  const expected = subjects.reduce((sum, each) => sum + each.expected, 0)
  const recorded = subjects.reduce((sum, each) => sum + each.recorded, 0)
  const unassessed = subjects.filter(({ assessments }) => assessments === 0).length
  return { expected, recorded, missing: Math.max(0, expected - recorded), unassessed }
}

/** Whether every book is approved, or was sent as it was approved; not where some wait for their class teacher first. */
export const isAllApproved = ({ made, approved, sent }: ClassOverview['books']): boolean => made > 0 && approved + sent >= made

/** Whether somebody still has something to do for the class. */
export const isIncomplete = (row: ClassRow): boolean =>
  missingIn(row).length > 0 || row.books.to_approve + row.books.sent_back + row.outdated > 0

export const lacksMarks = ({ assessments, expected, recorded }: Pick<SubjectRow, 'assessments' | 'expected' | 'recorded'>): boolean =>
  assessments === 0 || recorded < expected

/** Whose work it is that something is missing, each once. */
export const peopleBehind = (row: ClassOverview) => [
  ...new Map(missingIn(row).flatMap(({ people }) => people.map((person) => [person.id, person] as const))).values(),
]

/** Rows by a number of each, the greatest first; the order stays where it is the same. */
export function sorted<T>(rows: readonly T[], numberOf: ((row: T) => number) | undefined, isDown: boolean): T[] {
  const inOrder = numberOf ? [...rows].sort((a, b) => numberOf(b) - numberOf(a)) : [...rows]
  return isDown ? inOrder.reverse() : inOrder
}

/** What is left to do in all classes together. */
export function totalsOf(classes: readonly ClassRow[]) {
  const sum = (of: (row: ClassRow) => number) => classes.reduce((total, row) => total + of(row), 0)
  return {
    classes: classes.length,
    complete: classes.filter((row) => !isIncomplete(row)).length,
    marks: sum((row) => marksOf(row).missing),
    books: sum(({ students, books }) => Math.max(0, students - books.made)),
    remarks: sum(({ books }) => books.without_remark),
    to_approve: sum(({ books }) => books.to_approve),
    sent_back: sum(({ books }) => books.sent_back),
    published: sum(({ books }) => books.published),
    sent: sum(({ books }) => books.sent),
  }
}
