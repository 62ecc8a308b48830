import type { GroupFigures } from '@markbook/shared/contract/calculations'
import { termInEnglish } from '@markbook/shared/domain/term-names'
import type { Cell } from '@markbook/shared/spreadsheet/table'
import { writeCsv } from '../csv.ts'
import type { WorkbookColumn, WorkbookInput, WorkbookSheet } from '../workbook.ts'
import { type BroadsheetInput, type BroadsheetPupil, hasPartial, isPartial, PARTIAL, PARTIAL_MEANS } from './broadsheet.input.ts'
import { type Statistics, statisticsOf, totalOf } from './statistics.ts'

type Statistic = readonly [label: string, of: (figures: GroupFigures) => number | null]

/** The statistics that stand under every subject, by the names that they are given. */
export const statisticRows: readonly Statistic[] = [
  ['Mean', (figures) => figures.class_average],
  ['Median', (figures) => figures.median],
  ['Highest', (figures) => figures.highest],
  ['Lowest', (figures) => figures.lowest],
  ['Passed', (figures) => figures.pass_count],
  ['Pass rate %', (figures) => figures.pass_rate],
]

/** How many have each letter. */
export const letterRows = ({ bands }: BroadsheetInput['scale']): Statistic[] =>
  bands.map(({ letter }) => [`Letter ${letter}`, (figures) => figures.distribution.find((own) => own.letter === letter)?.count ?? 0])

const text = (head: string, key: string, width: number): WorkbookColumn => ({ head, key, width, kind: 'text' })
const figure = (head: string, key: string, width: number, decimals: 0 | 2): WorkbookColumn => {
  return { head, key, width, kind: 'number', decimals }
}
/** Heads are wrapped, so a column need only hold the longest word. */
const widthFor = (head: string) => Math.min(24, Math.max(10, ...head.split(/\s+/).map((word) => word.length + 2)))

/** The subjects whose result is partial: figures stay numbers, and the columns of subjects stay side by side. */
const PARTIAL_HEAD = 'Partial results'

/** What is told of a pupil, in order. */
const pupilColumns = (subjects: BroadsheetInput['subjects']): WorkbookColumn[] => [
  text('Last name', 'last_name', 20),
  text('First name', 'first_name', 20),
  text('Student number', 'student_number', 14),
  text('Gender', 'gender', 10),
  ...subjects.map(({ id, name }) => figure(name, keyOf(id), widthFor(name), 2)),
  figure('Total', 'total', 11, 2),
  figure('Average', 'overall_average', 10, 2),
  text('Letter', 'letter_grade', 8),
  figure('Position', 'position', 10, 0),
  text(PARTIAL_HEAD, 'partial', 24),
]
const keyOf = (subjectId: string) => `subject ${subjectId}`

type Cells = Readonly<Record<string, Cell>>
const cellsBySubject = (entries: readonly (readonly [id: string, value: Cell])[]): Cells =>
  Object.fromEntries(entries.map(([id, value]) => [keyOf(id), value]))

const pupilCells = ({ marks, ...own }: BroadsheetPupil, subjects: BroadsheetInput['subjects']): Cells => ({
  ...own,
  ...cellsBySubject(subjects.map(({ id }) => [id, marks[id]?.figure ?? null])),
  total: totalOf({ marks }, subjects),
  partial: namesOfPartial(marks, subjects),
})

const namesOfPartial = (marks: BroadsheetPupil['marks'], subjects: BroadsheetInput['subjects']): Cell =>
  subjects.flatMap(({ id, name }) => (marks[id]?.is_partial ? [name] : [])).join('; ') || null

/**
 * One table: the pupils, then under a blank line the statistics in the columns of the subjects, and those of the class under the average;
 * what a partial result is, where there is one.
 */
export function broadsheetCsv(input: BroadsheetInput): Uint8Array {
  const { pupils, subjects, scale } = input
  const { subjects: bySubject, whole, genders } = statisticsOf(input)
  const columns = pupilColumns(subjects)
  const statistic = ([label, of]: Statistic): Cells => ({
    last_name: label,
    ...cellsBySubject(bySubject.map(({ subject, figures }) => [subject.id, of(figures)])),
    overall_average: of(whole),
  })
  const rows = [
    ...pupils.map((pupil) => pupilCells(pupil, subjects)),
    { last_name: '' },
    ...[...statisticRows, ...letterRows(scale)].map(statistic),
    ...genders.flatMap(({ gender, figures }) => [
      { last_name: `Mean, ${gender}`, overall_average: figures.class_average },
      { last_name: `Pass rate %, ${gender}`, overall_average: figures.pass_rate },
    ]),
    ...(hasPartial(input) ? [{ last_name: PARTIAL_HEAD, first_name: PARTIAL_MEANS }] : []),
  ]
  return writeCsv({ head: columns.map(({ head }) => head), rows: rows.map((row: Cells) => columns.map(({ key }) => row[key] ?? null)) })
}

const marksSheet = ({ pupils, subjects }: BroadsheetInput): WorkbookSheet => ({
  name: 'Broadsheet',
  columns: pupilColumns(subjects),
  rows: pupils.map((pupil) => ({
    cells: pupilCells(pupil, subjects),
    signed: [
      ...subjects.flatMap(({ id }) => (pupil.marks[id]?.is_partial ? [keyOf(id)] : [])),
      ...(isPartial(pupil) ? ['total', 'overall_average'] : []),
    ],
  })),
  frozen: { rows: 1, columns: 2 },
  wrapsHeads: true,
})

const figureCells = (figures: GroupFigures) => ({
  students: figures.total_students,
  results: figures.ranked_students,
  ...Object.fromEntries(statisticRows.map(([label, of]) => [label, of(figures)])),
  ...Object.fromEntries(figures.distribution.map(({ letter, count }) => [`letter ${letter}`, count])),
})

function statisticsSheet({ scale }: BroadsheetInput, { subjects, whole }: Statistics): WorkbookSheet {
  return {
    name: 'Subjects',
    columns: [
      text('Subject', 'subject', 28),
      text('Code', 'code', 10),
      figure('Pupils', 'students', 10, 0),
      figure('With a result', 'results', 10, 0),
      ...statisticRows.map(([label]) => figure(label, label, 10, label === 'Passed' ? 0 : 2)),
      ...scale.bands.map(({ letter }) => figure(letter, `letter ${letter}`, Math.max(7, letter.length + 2), 0)),
    ],
    rows: [
      ...subjects.map(({ subject, figures }) => ({ cells: { subject: subject.name, code: subject.code, ...figureCells(figures) } })),
      { cells: { subject: 'Overall', code: null, ...figureCells(whole) } },
    ],
    frozen: { rows: 1, columns: 1 },
    wrapsHeads: true,
  }
}

function classSheet(input: BroadsheetInput, { whole, genders }: Statistics): WorkbookSheet {
  const row = (what: string, told: string | null, value: number | null = null) => ({ cells: { what, told, value } })
  return {
    name: 'Class',
    // Counts and averages in one column: each with the decimals that it has.
    columns: [text('What', 'what', 26), text('Told', 'told', 34), { head: 'Figure', key: 'value', width: 12, kind: 'number' }],
    rows: [
      row('School', input.school.name),
      row('Class', input.class_name),
      row('Year', input.year),
      row(input.report_type === 'term' ? 'Term' : 'Report', input.report_type === 'term' ? termInEnglish(input.term) : 'Year-end'),
      row('Class teacher', input.class_teacher),
      row('Pupils', null, whole.total_students),
      row('With a result', null, whole.ranked_students),
      ...statisticRows.map(([label, of]) => row(label, null, of(whole))),
      ...genders.flatMap(({ gender, count, figures }) => [
        row('Pupils', gender, count),
        row('Mean', gender, figures.class_average),
        row('Pass rate %', gender, figures.pass_rate),
      ]),
      ...(hasPartial(input) ? [row(PARTIAL, PARTIAL_MEANS)] : []),
    ],
    frozen: { rows: 1, columns: 1 },
  }
}

/** Real numbers throughout; the marks, the statistics of each subject, and those of the class on sheets of their own. */
export function broadsheetWorkbook(input: BroadsheetInput): WorkbookInput {
  const statistics = statisticsOf(input)
  return { sheets: [marksSheet(input), statisticsSheet(input, statistics), classSheet(input, statistics)], madeAt: input.madeAt }
}
