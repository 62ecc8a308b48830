type Named = { id: string; first_name: string; last_name: string }
type Subject = { id: string; name: string; code: string }
type Status = 'draft' | 'published' | 'sent_to_ministry'

export type CheckedBook = {
  id: string
  status: Status
  student: Named
  overall_average: number | null
  position: number | null
  total_students: number
  class_teacher_remark: string | null
  conduct: string | null
  attendance_percentage: number | null
}
export type CheckedEntry = {
  id: string
  report_book_id: string
  subject: Subject
  coursework_average: number | null
  exam_average: number | null
  term_composite: number | null
  year_grade: number | null
  teacher_remark: string | null
}
/** What is computed now, beside what the books hold: of the term or, for year-end books, of the year. */
export type LiveResult = {
  student: Named
  overall: number | null
  position: number | null
  total: number
  subjects: readonly { subject: Subject; result: number | null; is_partial: boolean; under_review: boolean }[]
}
export type Missing = { subject: Subject; title: string; students: readonly Named[] }

/** `result`: which figure of an entry is the one that counts. */
export type Checked = {
  books: readonly CheckedBook[]
  entries: readonly CheckedEntry[]
  live: readonly LiveResult[]
  missing: readonly Missing[]
  /** Books that would hold other figures if they were made again now, by their ids. */
  behind: ReadonlySet<string>
  /** Subjects of the class in which nothing counts this term. */
  unassessed: readonly Subject[]
  result: 'term_composite' | 'year_grade'
}

export const findingKinds = [
  'no_book',
  'out_of_date',
  'no_assessment',
  'under_review',
  'missing_mark',
  'partial',
  'exam_outlier',
  'pupil_outlier',
  'subject_outlier',
  'no_class_remark',
  'no_subject_remark',
  'no_conduct',
  'no_attendance',
] as const
export type FindingKind = (typeof findingKinds)[number]
/** `found` is the figure that stands out and `usual` what it was held against; `title` the assessment. */
export type Finding = {
  kind: FindingKind
  student?: Named
  subject?: Subject
  bookId?: string
  title?: string
  found?: number
  usual?: number
}

/** In percent. A result this far from what the pupil's other subjects lead to expect is worth a look; so are the other two. */
export const unusual = { pupil: 25, subject: 15, exam: 40 } as const
/** With fewer others there is nothing to hold a result against. */
const OTHERS = 2

/** What concerns some of the books: what is said of their pupils, and of whole subjects. */
export const concerning = (findings: readonly Finding[], books: readonly { student: { id: string } }[]): Finding[] => {
  const pupils = new Set(books.map(({ student }) => student.id))
  return findings.filter(({ student }) => !student || pupils.has(student.id))
}

/** Everything to look at before these books are published, the gravest first. Books that were sent are beyond repair and left out. */
export function findingsOf(checked: Checked): Finding[] {
  const found = [...lacking(checked), ...unsure(checked), ...outliers(checked), ...unwritten(checked)]
  return findingKinds.flatMap((kind) => found.filter((finding) => finding.kind === kind))
}

const open = ({ books }: Checked) => books.filter(({ status }) => status !== 'sent_to_ministry')

/** Pupils without a book, books that are older than the marks, subjects in which nothing was assessed, and marks that nobody gave. */
function lacking(checked: Checked): Finding[] {
  const bookByStudentId = new Map(checked.books.map((book) => [book.student.id, book]))
  const isOpen = ({ id }: Named) => bookByStudentId.get(id)?.status !== 'sent_to_ministry'
  const none = checked.live
    .filter(({ student }) => !bookByStudentId.has(student.id))
    .map(({ student }): Finding => ({ kind: 'no_book', student }))
  const marks = checked.missing.flatMap(({ subject, title, students }) =>
    students.filter(isOpen).map((student): Finding => ({ kind: 'missing_mark', student, subject, title })),
  )
  const behind = open(checked)
    .filter(({ id }) => checked.behind.has(id))
    .map(({ id, student }): Finding => ({ kind: 'out_of_date', student, bookId: id }))
  const unassessed = checked.unassessed.map((subject): Finding => ({ kind: 'no_assessment', subject }))
  return [...none, ...behind, ...unassessed, ...marks]
}

/** Figures that rest on part of the marks, or on a mark that two servers do not agree about. */
function unsure(checked: Checked): Finding[] {
  const isOpen = new Set(open(checked).map(({ student }) => student.id))
  return checked.live
    .filter(({ student }) => isOpen.has(student.id))
    .flatMap(({ student, subjects }) =>
      subjects.flatMap(({ subject, is_partial, under_review }): Finding[] => [
        ...(under_review ? [{ kind: 'under_review' as const, student, subject }] : []),
        ...(is_partial ? [{ kind: 'partial' as const, student, subject }] : []),
      ]),
    )
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const rounded = (value: number) => Math.round(value * 100) / 100

type Point = { student: Named; subject: Subject; value: number }

function outliers(checked: Checked): Finding[] {
  const points = checked.live.flatMap(({ student, subjects }) =>
    subjects.flatMap(({ subject, result }): Point[] => (result === null ? [] : [{ student, subject, value: result }])),
  )
  const isOpen = new Set(open(checked).map(({ student }) => student.id))
  return [
    ...unlikeTheOthers(points).filter(({ student }) => student && isOpen.has(student.id)),
    ...unlikeOtherSubjects(points),
    ...examUnlikeCoursework(checked),
  ]
}

/** What lies at least `far` from the mean of the others, the farthest first: what stands out is no measure for the rest. */
function standingOut<T extends { value: number }>(points: readonly T[], far: number): { point: T; others: number }[] {
  if (points.length <= OTHERS) return []
  const sum = points.reduce((total, { value }) => total + value, 0)
  const against = points.map((point) => ({ point, others: (sum - point.value) / (points.length - 1) }))
  const distance = ({ point, others }: (typeof against)[number]) => Math.abs(point.value - others)
  const farthest = against.reduce((most, one) => (distance(one) > distance(most) ? one : most))
  if (distance(farthest) < far) return []
  return [
    farthest,
    ...standingOut(
      points.filter((point) => point !== farthest.point),
      far,
    ),
  ]
}

/**
 * Results of a pupil that are far from what the others lead to expect. A hard subject is not held against anybody: what is compared is
 * how far each result lies from its subject's mean.
 */
export function unlikeTheOthers(points: readonly Point[]): Finding[] {
  const means = meansBySubjectId(points)
  const pupils = new Map(points.map(({ student }) => [student.id, student]))
  return [...pupils.values()].flatMap((student) => {
    const own = points
      .filter((point) => point.student.id === student.id)
      .map(({ subject, value }) => ({ subject, found: value, value: value - (means.get(subject.id) ?? 0) }))
    return standingOut(own, unusual.pupil).map(({ point: { subject, found }, others }): Finding => {
      const usual = (means.get(subject.id) ?? 0) + others
      return { kind: 'pupil_outlier', student, subject, found, usual: rounded(Math.min(100, Math.max(0, usual))) }
    })
  })
}

/** Subjects whose mean is far from the mean of the others. */
export function unlikeOtherSubjects(points: readonly Point[]): Finding[] {
  const means = meansBySubjectId(points)
  const subjects = [...new Map(points.map(({ subject }) => [subject.id, subject])).values()]
  const all = subjects.map((subject) => ({ subject, value: means.get(subject.id) ?? 0 }))
  return standingOut(all, unusual.subject).map(
    ({ point: { subject, value }, others }): Finding => ({
      kind: 'subject_outlier',
      subject,
      found: rounded(value),
      usual: rounded(others),
    }),
  )
}

function meansBySubjectId(points: readonly Point[]): Map<string, number> {
  const values = new Map<string, number[]>()
  for (const { subject, value } of points) values.set(subject.id, [...(values.get(subject.id) ?? []), value])
  return new Map([...values].map(([id, own]) => [id, mean(own)]))
}

/** An exam far from the coursework of the same subject: most often a digit that is missing or too many. */
function examUnlikeCoursework(checked: Checked): Finding[] {
  const bookById = new Map(open(checked).map((book) => [book.id, book]))
  return checked.entries.flatMap(({ report_book_id, subject, coursework_average, exam_average }): Finding[] => {
    const book = bookById.get(report_book_id)
    if (!book || coursework_average === null || exam_average === null) return []
    if (Math.abs(exam_average - coursework_average) < unusual.exam) return []
    return [{ kind: 'exam_outlier', student: book.student, bookId: book.id, subject, found: exam_average, usual: coursework_average }]
  })
}

const isBlank = (text: string | null) => !text?.trim()

/** What a teacher has yet to write. A subject without a result needs no remark. */
function unwritten(checked: Checked): Finding[] {
  const books = open(checked)
  const bookById = new Map(books.map((book) => [book.id, book]))
  const lines = checked.entries.flatMap(({ report_book_id, subject, teacher_remark, ...entry }): Finding[] => {
    const book = bookById.get(report_book_id)
    if (!book || !isBlank(teacher_remark) || entry[checked.result] === null) return []
    return [{ kind: 'no_subject_remark', student: book.student, bookId: book.id, subject }]
  })
  return [
    ...books.flatMap(({ id, student, class_teacher_remark, conduct, attendance_percentage }): Finding[] => [
      ...(isBlank(class_teacher_remark) ? [{ kind: 'no_class_remark' as const, student, bookId: id }] : []),
      ...(isBlank(conduct) ? [{ kind: 'no_conduct' as const, student, bookId: id }] : []),
      ...(attendance_percentage === null ? [{ kind: 'no_attendance' as const, student, bookId: id }] : []),
    ]),
    ...lines,
  ]
}
