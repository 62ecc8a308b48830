import type { GroupFigures } from '@markbook/shared/contract/calculations'
import type { Cell } from '@markbook/shared/spreadsheet/table'
import { writeCsv } from '../csv.ts'
import { type WordKey, type Words, wordsOf } from '../words.ts'
import type { WorkbookColumn, WorkbookInput, WorkbookSheet } from '../workbook.ts'
import { type BroadsheetInput, type BroadsheetPupil, hasPartial, isPartial, PARTIAL } from './broadsheet.input.ts'
import { type Statistics, statisticsOf, totalOf } from './statistics.ts'

type Statistic<Label> = readonly [label: Label, of: (figures: GroupFigures) => number | null]

/** A count, among averages and rates. */
export const PASSED = 'broadsheet.passed'

/** The statistics in each subject's column. */
export const statisticRows: readonly Statistic<WordKey>[] = [
  ['broadsheet.mean', (figures) => figures.class_average],
  ['broadsheet.median', (figures) => figures.median],
  ['broadsheet.highest', (figures) => figures.highest],
  ['broadsheet.lowest', (figures) => figures.lowest],
  [PASSED, (figures) => figures.pass_count],
  ['broadsheet.passRatePercent', (figures) => figures.pass_rate],
]

/** The number of pupils with each letter. */
export const letterRows = ({ bands }: BroadsheetInput['scale'], { say }: Words): Statistic<string>[] =>
  bands.map(({ letter }) => [
    say('broadsheet.letterRow', { letter }),
    (figures) => figures.distribution.find((own) => own.letter === letter)?.count ?? 0,
  ])

const text = (head: string, key: string, width: number): WorkbookColumn => ({ head, key, width: wideEnough(head, width), kind: 'text' })
const figure = (head: string, key: string, width: number, decimals: 0 | 2): WorkbookColumn => {
  return { head, key, width: wideEnough(head, width), kind: 'number', decimals }
}
/** Characters. Heads are wrapped, so a column must fit its longest word. A wider one allows for the bold type of its head. */
const [ROOMY, LONGEST] = [10, 24]
function wideEnough(head: string, width: number): number {
  const needed = Math.min(LONGEST, Math.max(...head.split(/\s+/).map((word) => word.length + 2)))
  return needed <= width ? width : Math.max(ROOMY, needed)
}

/** The gender as the contract names it; any other value counts as the third. */
const genderOf = (gender: string) => (gender === 'female' || gender === 'male' ? gender : 'other')
/** The plural word for all pupils of a gender. */
export const genderWord = (gender: string): WordKey => `gender.${genderOf(gender)}`

/**
 * The columns of a pupil, in order. The subjects with a partial result are listed in a column of their own, so that figures stay numbers
 * and the columns of subjects adjacent.
 */
const pupilColumns = (subjects: BroadsheetInput['subjects'], { say }: Words): WorkbookColumn[] => [
  text(say('broadsheet.lastName'), 'last_name', 20),
  text(say('broadsheet.firstName'), 'first_name', 20),
  text(say('broadsheet.studentNumber'), 'student_number', 14),
  text(say('broadsheet.gender'), 'gender', 10),
  ...subjects.map(({ id, name }) => figure(name, keyOf(id), 10, 2)),
  figure(say('broadsheet.total'), 'total', 11, 2),
  figure(say('broadsheet.average'), 'overall_average', 10, 2),
  text(say('broadsheet.letter'), 'letter_grade', 8),
  figure(say('broadsheet.position'), 'position', 10, 0),
  text(say('broadsheet.partialResults'), 'partial', 24),
]
const keyOf = (subjectId: string) => `subject ${subjectId}`

type Cells = Readonly<Record<string, Cell>>
const cellsBySubject = (entries: readonly (readonly [id: string, value: Cell])[]): Cells =>
  Object.fromEntries(entries.map(([id, value]) => [keyOf(id), value]))

const pupilCells = ({ marks, ...own }: BroadsheetPupil, subjects: BroadsheetInput['subjects'], { say }: Words): Cells => ({
  ...own,
  gender: say(`genderOfOne.${genderOf(own.gender)}`),
  ...cellsBySubject(subjects.map(({ id }) => [id, marks[id]?.figure ?? null])),
  total: totalOf({ marks }, subjects),
  partial: namesOfPartial(marks, subjects),
})

const namesOfPartial = (marks: BroadsheetPupil['marks'], subjects: BroadsheetInput['subjects']): Cell =>
  subjects.flatMap(({ id, name }) => (marks[id]?.is_partial ? [name] : [])).join('; ') || null

/**
 * One table: the pupils, then after a blank line the statistics in the columns of the subjects and those of the class under the average;
 * then, where a result is partial, what that means.
 */
export function broadsheetCsv(input: BroadsheetInput): Uint8Array {
  const { pupils, subjects, scale } = input
  const { subjects: bySubject, whole, genders } = statisticsOf(input)
  const words = wordsOf(input.language, true)
  const { say } = words
  const columns = pupilColumns(subjects, words)
  const statistic = ([label, of]: Statistic<string>): Cells => ({
    last_name: label,
    ...cellsBySubject(bySubject.map(({ subject, figures }) => [subject.id, of(figures)])),
    overall_average: of(whole),
  })
  const rows = [
    ...pupils.map((pupil) => pupilCells(pupil, subjects, words)),
    { last_name: '' },
    ...statisticRows.map(([key, of]) => statistic([say(key), of])),
    ...letterRows(scale, words).map(statistic),
    ...genders.flatMap(({ gender, figures }) => [
      { last_name: ofGender(words, 'broadsheet.mean', gender), overall_average: figures.class_average },
      { last_name: ofGender(words, 'broadsheet.passRatePercent', gender), overall_average: figures.pass_rate },
    ]),
    ...(hasPartial(input) ? [{ last_name: say('broadsheet.partialResults'), first_name: say('broadsheet.partialMeans') }] : []),
  ]
  return writeCsv(
    { head: columns.map(({ head }) => head), rows: rows.map((row: Cells) => columns.map(({ key }) => row[key] ?? null)) },
    words,
  )
}

const ofGender = ({ say }: Words, figure: WordKey, gender: string): string =>
  say('broadsheet.ofGender', { figure: say(figure), gender: say(genderWord(gender)) })

const marksSheet = ({ pupils, subjects }: BroadsheetInput, words: Words): WorkbookSheet => ({
  name: words.say('broadsheet.title'),
  columns: pupilColumns(subjects, words),
  rows: pupils.map((pupil) => ({
    cells: pupilCells(pupil, subjects, words),
    signed: [
      ...subjects.flatMap(({ id }) => (pupil.marks[id]?.is_partial ? [keyOf(id)] : [])),
      ...(isPartial(pupil) ? ['total', 'overall_average'] : []),
    ],
  })),
  frozenColumns: 2,
  wrapsHeads: true,
  isRightToLeft: words.isRightToLeft,
})

const figureCells = (figures: GroupFigures) => ({
  students: figures.total_students,
  results: figures.ranked_students,
  ...Object.fromEntries(statisticRows.map(([label, of]) => [label, of(figures)])),
  ...Object.fromEntries(figures.distribution.map(({ letter, count }) => [`letter ${letter}`, count])),
})

function statisticsSheet({ scale }: BroadsheetInput, { subjects, whole }: Statistics, { say, isRightToLeft }: Words): WorkbookSheet {
  return {
    name: say('broadsheet.subjectsSheet'),
    columns: [
      text(say('broadsheet.subject'), 'subject', 28),
      text(say('broadsheet.code'), 'code', 10),
      figure(say('broadsheet.pupils'), 'students', 10, 0),
      figure(say('broadsheet.withResult'), 'results', 10, 0),
      ...statisticRows.map(([key]) => figure(say(key), key, 10, key === PASSED ? 0 : 2)),
      ...scale.bands.map(({ letter }) => figure(letter, `letter ${letter}`, Math.max(7, letter.length + 2), 0)),
    ],
    rows: [
      ...subjects.map(({ subject, figures }) => ({ cells: { subject: subject.name, code: subject.code, ...figureCells(figures) } })),
      { cells: { subject: say('broadsheet.overall'), code: null, ...figureCells(whole) } },
    ],
    frozenColumns: 1,
    wrapsHeads: true,
    isRightToLeft,
  }
}

function classSheet(input: BroadsheetInput, { whole, genders }: Statistics, words: Words): WorkbookSheet {
  const { say } = words
  const row = (what: string, told: string | null, value: number | null = null) => ({ cells: { what, told, value } })
  return {
    name: say('broadsheet.classSheet'),
    // Counts and averages are in one column, each with its own decimals.
    columns: [
      text(say('broadsheet.what'), 'what', 26),
      text(say('broadsheet.told'), 'told', 34),
      { head: say('broadsheet.figure'), key: 'value', width: 12, kind: 'number' },
    ],
    rows: [
      row(say('broadsheet.school'), input.school.name),
      row(say('broadsheet.className'), input.class_name),
      row(say('broadsheet.year'), input.year),
      input.report_type === 'term'
        ? row(say('broadsheet.term'), words.term(input.term))
        : row(say('broadsheet.report'), say('broadsheet.yearEnd')),
      row(say('classTeacher'), input.class_teacher),
      row(say('broadsheet.pupils'), null, whole.total_students),
      row(say('broadsheet.withResult'), null, whole.ranked_students),
      ...statisticRows.map(([key, of]) => row(say(key), null, of(whole))),
      ...genders.flatMap(({ gender, count, figures }) => [
        row(say('broadsheet.pupils'), say(genderWord(gender)), count),
        row(say('broadsheet.mean'), say(genderWord(gender)), figures.class_average),
        row(say('broadsheet.passRatePercent'), say(genderWord(gender)), figures.pass_rate),
      ]),
      ...(hasPartial(input) ? [row(PARTIAL, say('broadsheet.partialMeans'))] : []),
    ],
    frozenColumns: 1,
    isRightToLeft: words.isRightToLeft,
  }
}

/** A workbook with numeric cells: one sheet for marks, one for the statistics of subjects, one for those of the class. */
export function broadsheetWorkbook(input: BroadsheetInput): WorkbookInput {
  const statistics = statisticsOf(input)
  const words = wordsOf(input.language, true)
  const sheets = [marksSheet(input, words), statisticsSheet(input, statistics, words), classSheet(input, statistics, words)]
  return { sheets, madeAt: input.madeAt }
}
