import type { Report, ReportEntry } from '@markbook/shared/contract/reports'
import type { StudentName } from '@markbook/shared/contract/scalars'
import { hasUnprintedLetters } from '@markbook/shared/domain/printed-letters'
import type { Subject } from '../results/comparison.ts'

type CheckedBook = Pick<Report, 'id' | 'status' | 'class_teacher_remark' | 'conduct' | 'attendance_percentage'> & {
  student: StudentName
  attendance: { percentage: number | null } | null
}
type CheckedEntry = { subject: Subject } & Pick<
  ReportEntry,
  'id' | 'report_book_id' | 'coursework_average' | 'exam_average' | 'term_composite' | 'year_grade' | 'teacher_remark'
>
/** The results of the present marks: of the term, with its parts, or, for year-end report books, of the year. */
export type LiveResult = {
  student: StudentName
  subjects: readonly LiveSubject[]
}
type LiveSubject = { subject: Subject; result: number | null; is_partial: boolean; under_review: boolean } & Partial<
  Pick<ReportEntry, 'coursework_average' | 'exam_average'>
>
type MissingMark = { subject: Subject; title: string; students: readonly StudentName[] }

/** `result`: the figure of an entry that counts. */
export type CheckInput = {
  books: readonly CheckedBook[]
  entries: readonly CheckedEntry[]
  live: readonly LiveResult[]
  missing: readonly MissingMark[]
  /** The ids of report books that would get other figures by a new calculation. */
  behind: ReadonlySet<string>
  /** The subjects of the class without a counting assessment in the term. */
  unassessed: readonly Subject[]
  result: 'term_composite' | 'year_grade'
}

/** In the order of the list: faults of a whole report book, outliers, then missing parts. */
export const findingKinds = [
  'no_book',
  'out_of_date',
  'under_review',
  'exam_outlier',
  'pupil_outlier',
  'subject_outlier',
  'unprinted',
  'no_assessment',
  'missing_mark',
  'partial',
  'no_class_remark',
  'no_subject_remark',
  'no_conduct',
  'no_attendance',
] as const
type FindingKind = (typeof findingKinds)[number]
/** `found`: the outlier; `usual`: the value that it was compared with; `title`: the assessment. */
export type Finding = {
  kind: FindingKind
  student?: StudentName
  subject?: Subject
  bookId?: string
  title?: string
  found?: number
  usual?: number
}

/** The missing marks of one assessment. */
export type AssessmentGroup = { subject: Subject; title: string; findings: Finding[] }

/** Missing marks by assessment, the one with most first, which usually has not been entered yet. */
export function byAssessment(findings: readonly Finding[]): AssessmentGroup[] {
  const groups = new Map<string, AssessmentGroup>()
  for (const finding of findings) {
    const { kind, subject, title } = finding
    if (kind !== 'missing_mark' || !subject || title === undefined) continue
    const key = `${subject.id} ${title}`
    const group = groups.get(key) ?? { subject, title, findings: [] }
    group.findings.push(finding)
    groups.set(key, group)
  }
  return [...groups.values()].sort((a, b) => b.findings.length - a.findings.length)
}

/** The distances, in percentage points, from which a result is an outlier. */
export const unusual = { pupil: 25, subject: 15, exam: 40 } as const
/** A comparison needs at least this many other results. */
const OTHERS = 2

/** The findings about the pupils of these report books, and about whole subjects. */
export const findingsOfBooks = (findings: readonly Finding[], books: readonly { student: { id: string } }[]): Finding[] => {
  const pupils = new Set(books.map(({ student }) => student.id))
  return findings.filter(({ student }) => !student || pupils.has(student.id))
}

/** All findings about these report books, the most serious first. Report books that were sent are left out, since they cannot change. */
export function findingsOf(checked: CheckInput): Finding[] {
  const open = checked.books.filter(({ status }) => status !== 'sent_to_ministry')
  const openById = new Map(open.map((book) => [book.id, book]))
  const openPupils = new Set(open.map(({ student }) => student.id))
  const live = checked.live.filter(({ student }) => openPupils.has(student.id))
  const entries = checked.entries.flatMap(({ report_book_id, ...entry }) => {
    const book = openById.get(report_book_id)
    return book ? [{ ...entry, about: { student: book.student, bookId: book.id, subject: entry.subject } }] : []
  })
  const points = pointsOf(checked.live)
  const found = [
    ...missingParts(checked, open),
    ...live.flatMap(uncertainResults),
    ...pupilOutliers(points).filter(({ student }) => student && openPupils.has(student.id)),
    ...subjectOutliers(points),
    ...live.flatMap(({ student, subjects }) => subjects.flatMap((subject) => examOutlier({ student, ...subject }))),
    // The terms of a year have parts in its books alone. Those of a book that is out of date may rest on marks that no longer stand.
    ...(checked.result === 'year_grade' ? entries.filter(({ about }) => !checked.behind.has(about.bookId)) : []).flatMap(
      ({ about, ...entry }) => examOutlier({ ...about, ...entry }),
    ),
    ...open.flatMap(unprintedTexts),
    ...entries.flatMap(({ about, teacher_remark }): Finding[] =>
      hasUnprintedLetters(teacher_remark ?? '') ? [{ kind: 'unprinted', ...about }] : [],
    ),
    ...open.flatMap(missingTexts),
    // A subject without a result needs no remark.
    ...entries.flatMap(({ about, teacher_remark, ...entry }): Finding[] =>
      isBlank(teacher_remark) && entry[checked.result] !== null ? [{ kind: 'no_subject_remark', ...about }] : [],
    ),
  ]
  return findingKinds.flatMap((kind) => found.filter((finding) => finding.kind === kind))
}

/** Pupils without a report book, outdated report books, subjects without an assessment, and missing marks. */
function missingParts(checked: CheckInput, open: readonly CheckedBook[]): Finding[] {
  const bookByStudentId = new Map(checked.books.map((book) => [book.student.id, book]))
  const isOpen = ({ id }: StudentName) => bookByStudentId.get(id)?.status !== 'sent_to_ministry'
  const none = checked.live
    .filter(({ student }) => !bookByStudentId.has(student.id))
    .map(({ student }): Finding => ({ kind: 'no_book', student }))
  const marks = checked.missing.flatMap(({ subject, title, students }) =>
    students.filter(isOpen).map((student): Finding => ({ kind: 'missing_mark', student, subject, title })),
  )
  const behind = open
    .filter(({ id }) => checked.behind.has(id))
    .map(({ id, student }): Finding => ({ kind: 'out_of_date', student, bookId: id }))
  const unassessed = checked.unassessed.map((subject): Finding => ({ kind: 'no_assessment', subject }))
  return [...none, ...behind, ...unassessed, ...marks]
}

/** Partial results, and results with a mark in conflict between two servers. */
const uncertainResults = ({ student, subjects }: LiveResult): Finding[] =>
  subjects.flatMap(({ subject, is_partial, under_review }): Finding[] => [
    ...(under_review ? [{ kind: 'under_review' as const, student, subject }] : []),
    ...(is_partial ? [{ kind: 'partial' as const, student, subject }] : []),
  ])

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const rounded = (value: number) => Math.round(value * 100) / 100

type Point = { student: StudentName; subject: Subject; value: number }

const pointsOf = (live: readonly LiveResult[]): Point[] =>
  live.flatMap(({ student, subjects }) =>
    subjects.flatMap(({ subject, result }) => (result === null ? [] : [{ student, subject, value: result }])),
  )

/**
 * The points that are at least `far` from the mean of the others, the farthest first. An outlier does not count for the means of the
 * remaining points.
 */
function outliers<T extends { value: number }>(points: readonly T[], far: number): { point: T; others: number }[] {
  if (points.length <= OTHERS) return []
  const sum = points.reduce((total, { value }) => total + value, 0)
  const against = points.map((point) => ({ point, others: (sum - point.value) / (points.length - 1) }))
  const distance = ({ point, others }: (typeof against)[number]) => Math.abs(point.value - others)
  const farthest = against.reduce((most, one) => (distance(one) > distance(most) ? one : most))
  if (distance(farthest) < far) return []
  return [
    farthest,
    ...outliers(
      points.filter((point) => point !== farthest.point),
      far,
    ),
  ]
}

/** Results far from the pupil's others. Each is taken relative to the mean of its subject, so that a hard subject does not matter. */
export function pupilOutliers(points: readonly Point[]): Finding[] {
  const means = meansBySubjectId(points)
  const pupils = new Map(points.map(({ student }) => [student.id, student]))
  return [...pupils.values()].flatMap((student) => {
    const own = points
      .filter((point) => point.student.id === student.id)
      .map(({ subject, value }) => ({ subject, found: value, value: value - (means.get(subject.id) ?? 0) }))
    return outliers(own, unusual.pupil).map(({ point: { subject, found }, others }): Finding => {
      const usual = (means.get(subject.id) ?? 0) + others
      return { kind: 'pupil_outlier', student, subject, found, usual: rounded(Math.min(100, Math.max(0, usual))) }
    })
  })
}

/** Subjects whose mean is far from the mean of the others. */
export function subjectOutliers(points: readonly Point[]): Finding[] {
  const means = meansBySubjectId(points)
  const subjects = [...new Map(points.map(({ subject }) => [subject.id, subject])).values()]
  const all = subjects.map((subject) => ({ subject, value: means.get(subject.id) ?? 0 }))
  return outliers(all, unusual.subject).map(
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

/** An exam far from the coursework of the same subject, which is usually a typing error. */
function examOutlier({ student, subject, coursework_average: usual = null, exam_average: found = null }: Parts): Finding[] {
  if (usual === null || found === null || Math.abs(found - usual) < unusual.exam) return []
  return [{ kind: 'exam_outlier', student, subject, found, usual }]
}
type Parts = { student: StudentName } & Pick<LiveSubject, 'subject' | 'coursework_average' | 'exam_average'>

/** Pupils whose name or text has letters that the fonts of a PDF do not have. */
const unprintedTexts = ({ id, student, class_teacher_remark, conduct }: CheckedBook): Finding[] =>
  [student.first_name, student.last_name, class_teacher_remark ?? '', conduct ?? ''].some(hasUnprintedLetters)
    ? [{ kind: 'unprinted', student, bookId: id }]
    : []

const isBlank = (text: string | null) => !text?.trim()

const missingTexts = ({ id, student, class_teacher_remark, conduct, attendance_percentage, attendance }: CheckedBook): Finding[] => [
  ...(isBlank(class_teacher_remark) ? [{ kind: 'no_class_remark' as const, student, bookId: id }] : []),
  ...(isBlank(conduct) ? [{ kind: 'no_conduct' as const, student, bookId: id }] : []),
  ...((attendance_percentage ?? attendance?.percentage ?? null) === null ? [{ kind: 'no_attendance' as const, student, bookId: id }] : []),
]
