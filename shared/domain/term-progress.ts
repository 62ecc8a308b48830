type Person = { id: string; first_name: string | null; last_name: string | null }
type Named = { id: string; name: string }
/** The progress of a class in a term: the figures from which the missing work follows. */
export type ClassState = {
  class: Named
  class_teacher: Person | null
  students: number
  subjects: readonly { subject: Named; teachers: readonly Person[]; assessments: number; expected: number; recorded: number }[]
  books: { made: number; without_remark: number; sent_back: number; sent: number }
  /** Number of books that are older than their marks; absent where it was not calculated. */
  outdated?: number
}

type OfClass = { class: Named }
type OfSubject = OfClass & { subject: Named }
type Count = { count: number; of: number }
/** One missing piece of work in a class and term, and the people who have to do it. */
export type Missing = { people: readonly Person[] } & (
  | ({ kind: 'assessment' } & OfSubject)
  | ({ kind: 'marks' } & OfSubject & Count)
  | ({ kind: 'books' | 'outdated' | 'remarks' | 'sent_back' } & OfClass & Count)
)

/** Whether every pupil has a book and all books are sent: marks and texts that are missing come too late for them. */
export const isAllSent = ({
  students,
  books: { made, sent },
}: Pick<ClassState, 'students'> & { books: Pick<ClassState['books'], 'made' | 'sent'> }): boolean =>
  made > 0 && made >= students && sent >= made

/**
 * What a class still lacks, in the order of the work. For a subject without a teacher in the class, the class teacher is responsible.
 * Subject remarks and conduct are optional and never missing. Nothing is missing once all books are sent.
 */
export function missingIn(state: ClassState): Missing[] {
  if (isAllSent(state)) return []
  const { class: group, class_teacher, students, subjects, books, outdated = 0 } = state
  const lead = class_teacher ? [class_teacher] : []
  const ofMarks = subjects.flatMap(({ subject, teachers, assessments, expected, recorded }): Missing[] => {
    const people = teachers.length > 0 ? teachers : lead
    if (assessments === 0) return [{ kind: 'assessment', class: group, subject, people }]
    const count = expected - recorded
    return count > 0 ? [{ kind: 'marks', class: group, subject, people, count, of: expected }] : []
  })
  const ofBooks = [
    { kind: 'books', count: students - books.made, of: students },
    { kind: 'outdated', count: outdated, of: books.made },
    { kind: 'remarks', count: books.without_remark, of: books.made },
    { kind: 'sent_back', count: books.sent_back, of: books.made },
  ] as const
  return [...ofMarks, ...ofBooks.flatMap((each) => (each.count > 0 ? [{ ...each, class: group, people: lead }] : []))]
}

/** The missing work of several classes, by responsible person. */
export function missingByPerson(classes: readonly ClassState[]): Map<string, Missing[]> {
  const byPerson = new Map<string, Missing[]>()
  for (const missing of classes.flatMap(missingIn))
    for (const { id } of missing.people) byPerson.set(id, [...(byPerson.get(id) ?? []), missing])
  return byPerson
}
