import type { GroupFigures } from '@markbook/shared/contract/calculations'
import { baseIn, type Canvas, colors, type Style } from '../drawing/canvas.ts'
import type { CrestPicture } from '../drawing/crest.ts'
import type { Block } from '../drawing/flow.ts'
import type { Fonts } from '../drawing/fonts.ts'
import { wrap } from '../drawing/lines.ts'
import { capitalised, type WordKey, type Words } from '../words.ts'
import { type BroadsheetInput, type BroadsheetPupil, isPartial, PARTIAL } from './broadsheet.input.ts'
import { genderWord, letterRows, PASSED, statisticRows } from './broadsheet.tables.ts'
import { type Statistics, totalOf } from './statistics.ts'
import { type ColumnWidths, HEAD_SIZE, type TablePlan } from './table-plan.ts'

/** A broadsheet and its paper: the content, and its margins (points from the top left). */
export type Sheet = {
  input: BroadsheetInput
  statistics: Statistics
  fonts: Fonts
  words: Words
  beside: ColumnWidths
  crest: CrestPicture | null
  left: number
  width: number
}

const HEAD: Style = { face: 'semibold', size: HEAD_SIZE, color: colors.accent }
const BODY: Style = { face: 'regular', size: 7.6, color: colors.text }
const STRONG: Style = { ...BODY, face: 'semibold' }
const QUIET: Style = { ...BODY, size: 6.6, color: colors.quiet }
/** Printed behind the figure, in the gap between two columns. */
const SIGN: Style = { ...STRONG, size: 5 }
const LINE = 9.8
const ROW = 14.2
/** The background of a mark below the pass mark; visible in greyscale, and light enough to read the figure. */
const LOW = '#e3e7ed' as typeof colors.tint

/** `isFromResults`: whether the column is computed from the results of the subjects. */
type Column = {
  head: WordKey
  name: keyof ColumnWidths
  style: Style
  isFromResults: boolean
  text: (pupil: BroadsheetPupil, input: BroadsheetInput, words: Words) => string
}
const ENDS: Column[] = [
  {
    head: 'broadsheet.total',
    name: 'total',
    style: BODY,
    isFromResults: true,
    text: (pupil, { subjects }, { figure }) => figure(totalOf(pupil, subjects)),
  },
  {
    head: 'broadsheet.average',
    name: 'average',
    style: STRONG,
    isFromResults: true,
    text: ({ overall_average }, _input, { figure }) => figure(overall_average),
  },
  { head: 'broadsheet.letter', name: 'letter', style: BODY, isFromResults: false, text: ({ letter_grade }) => letter_grade ?? '–' },
  { head: 'broadsheet.position', name: 'position', style: BODY, isFromResults: false, text: ({ position }) => String(position ?? '–') },
]

const subjectsAt = (sheet: Sheet, plan: TablePlan) => sheet.left + sheet.beside.number + plan.name
const endsAt = (sheet: Sheet, plan: TablePlan) => subjectsAt(sheet, plan) + plan.heads.length * plan.width
const widthOf = (sheet: Sheet, plan: TablePlan) =>
  endsAt(sheet, plan) - sheet.left + ENDS.reduce((sum, { name }) => sum + sheet.beside[name], 0)

/** The head of the table, repeated on every page. */
export function headOf(sheet: Sheet, plan: TablePlan): Block {
  const height = plan.headHeight
  return {
    height: height + 2,
    draw: (canvas, top) => {
      const row = canvas.element(canvas.table(), 'TR')
      const foot = top + height - 5
      const cell = (draw: () => void) => canvas.content(row, 'TH', draw, { scope: 'Column' })
      const { say } = sheet.words
      cell(() => canvas.line(say('broadsheet.number'), HEAD, { x: sheet.left, base: foot }))
      cell(() => canvas.line(say('broadsheet.pupil'), HEAD, { x: sheet.left + sheet.beside.number, base: foot }))
      for (const [at, { lines }] of plan.heads.entries()) {
        const right = subjectsAt(sheet, plan) + (at + 1) * plan.width
        cell(() => drawHead(canvas, plan, lines, right, foot))
      }
      let x = endsAt(sheet, plan)
      for (const { head, name } of ENDS) {
        x += sheet.beside[name]
        const right = x
        cell(() => canvas.line(say(head), HEAD, { x: right, base: foot, align: 'right' }))
      }
      canvas.decoration(() => canvas.rule(sheet.left, top + height, widthOf(sheet, plan), colors.accent, 1))
    },
  }
}

function drawHead(canvas: Canvas, { upright }: TablePlan, lines: string[], right: number, foot: number): void {
  for (const [at, line] of lines.entries()) {
    const back = (lines.length - 1 - at) * 9.2
    if (!upright) canvas.line(line, HEAD, { x: right, base: foot - back, align: 'right' })
    else canvas.verticalLine(line, HEAD, { x: right - 3 - back, base: foot })
  }
}

/** The largest style with which a text fits a column of this width, with a gap to the next. */
const fitted = (canvas: Canvas, text: string, style: Style, width: number): Style => ({
  ...style,
  size: Math.min(style.size, (style.size * (width - 4)) / Math.max(1, canvas.widthOf(text, style))),
})

/** The row of a pupil, as high as the name requires. */
export function rowOf(sheet: Sheet, plan: TablePlan, pupil: BroadsheetPupil, number: number): Block {
  const name = wrap(sheet.words.listed(pupil), sheet.fonts.regular, BODY.size, plan.name - 8)
  const height = ROW + (name.length - 1) * LINE
  return {
    isRow: true,
    height,
    draw: (canvas, top) => {
      const base = baseIn(top, ROW, BODY.size)
      const row = canvas.element(canvas.table(), 'TR')
      canvas.decoration(() => canvas.rule(sheet.left, top + height, widthOf(sheet, plan), colors.line, 0.4))
      canvas.content(row, 'TD', () => canvas.line(String(number), QUIET, { x: sheet.left, base }))
      canvas.content(row, 'TH', () => canvas.lines(name, BODY, { x: sheet.left + sheet.beside.number, base }, LINE), { scope: 'Row' })
      for (const [at, { subject }] of plan.heads.entries()) {
        const mark = pupil.marks[subject.id]
        const right = subjectsAt(sheet, plan) + (at + 1) * plan.width
        const isLow = mark ? mark.figure < sheet.input.scale.passMark : false
        if (isLow) canvas.decoration(() => canvas.rect(right - plan.width + 2, top + 1.6, plan.width, ROW - 3.2, LOW))
        canvas.content(row, 'TD', () => drawMark(canvas, sheet, plan, mark, right, base))
      }
      let x = endsAt(sheet, plan)
      for (const { name, style, isFromResults, text } of ENDS) {
        const width = sheet.beside[name]
        x += width
        const right = x
        const end = text(pupil, sheet.input, sheet.words)
        canvas.content(row, 'TD', () => {
          canvas.line(end, fitted(canvas, end, style, width), { x: right, base, align: 'right' })
          if (isFromResults && isPartial(pupil) && end !== sheet.words.figure(null)) drawSign(canvas, right, base)
        })
      }
    },
  }
}

/** Prints the letter beside the figure where both fit. */
function drawMark(
  canvas: Canvas,
  { words }: Sheet,
  { width }: TablePlan,
  mark: BroadsheetPupil['marks'][string] | undefined,
  right: number,
  base: number,
): void {
  if (mark === undefined) return
  const letter = width >= 44 && mark?.letter && canvas.widthOf(mark.letter, QUIET) < 14 ? mark.letter : null
  const end = letter === null ? right : right - 16
  canvas.line(words.figure(mark?.figure ?? null), BODY, { x: end, base, align: 'right' })
  if (mark?.is_partial) drawSign(canvas, end, base)
  if (letter !== null) canvas.line(letter, QUIET, { x: right - 13, base })
}

const drawSign = (canvas: Canvas, end: number, base: number) => canvas.line(PARTIAL, SIGN, { x: end + 0.2, base: base - 2.2 })

type StatisticRow = { label: string; text: (figures: GroupFigures) => string }
const STATISTIC = 11.6

/** The statistics of each subject in its column, and of the class under the average. Not split between pages. */
export function statisticBlock(sheet: Sheet, plan: TablePlan): Block {
  const { words } = sheet
  const figures = statisticRows.map(([key, of]): StatisticRow => {
    const text = (own: GroupFigures) => (key === PASSED ? String(of(own) ?? '–') : words.figure(of(own)))
    return { label: words.say(key), text }
  })
  const letters = letterRows(sheet.input.scale, words).map(
    ([label, of]): StatisticRow => ({ label, text: (own) => String(of(own) || '–') }),
  )
  const gap = 6
  const tops = [...figures, ...letters].map((told, at) => ({ told, top: gap * (at < figures.length ? 1 : 2) + at * STATISTIC }))
  return {
    isRow: true,
    height: tops.length * STATISTIC + 2 * gap + 4,
    draw: (canvas, top) => {
      for (const [at, { told, top: below }] of tops.entries()) {
        if (at === 0 || at === figures.length)
          canvas.decoration(() => canvas.rule(sheet.left, top + below, widthOf(sheet, plan), colors.strong, 0.8))
        drawStatistic(canvas, sheet, plan, told, top + below)
      }
    },
  }
}

function drawStatistic(canvas: Canvas, sheet: Sheet, plan: TablePlan, { label, text }: StatisticRow, top: number): void {
  const bySubject = new Map(sheet.statistics.subjects.map(({ subject, figures }) => [subject.id, figures]))
  const base = baseIn(top, STATISTIC, BODY.size)
  const row = canvas.element(canvas.table(), 'TR')
  canvas.decoration(() => canvas.rect(sheet.left, top + 0.4, widthOf(sheet, plan), STATISTIC, colors.tint))
  canvas.content(row, 'TH', () => canvas.line(label, STRONG, { x: sheet.left + sheet.beside.number, base }), { scope: 'Row' })
  for (const [at, { subject }] of plan.heads.entries()) {
    const own = bySubject.get(subject.id)
    const x = subjectsAt(sheet, plan) + (at + 1) * plan.width
    if (own) canvas.content(row, 'TD', () => canvas.line(text(own), BODY, { x, base, align: 'right' }))
  }
  const x = endsAt(sheet, plan) + sheet.beside.total + sheet.beside.average
  canvas.content(row, 'TD', () => canvas.line(text(sheet.statistics.whole), STRONG, { x, base, align: 'right' }))
}

/** Heads of these columns; the last moves right where its word is long. */
const GENDER_COLUMNS = [
  { head: 'broadsheet.byGender', x: 20, align: 'left' },
  { head: 'broadsheet.pupils', x: 130, align: 'right' },
  { head: 'broadsheet.mean', x: 180, align: 'right' },
  { head: 'broadsheet.passRate', x: 240, align: 'right' },
] as const

/** The statistics by gender, at the end of the sheet. */
export function genderBlock({ statistics: { genders }, fonts, words: { say, figure, percent }, left }: Sheet): Block {
  const columns = GENDER_COLUMNS.map((column, at) => {
    const head = say(column.head)
    const before = GENDER_COLUMNS[at - 1]?.x ?? 0
    return { ...column, head, x: at < 3 ? column.x : Math.max(column.x, before + 10 + fonts.semibold.widthOf(head, HEAD_SIZE)) }
  })
  return {
    height: 22 + genders.length * 12,
    draw: (canvas, top) => {
      canvas.content(canvas.section, 'H3', () => {
        for (const { head, x, align } of columns) canvas.line(head, HEAD, { x: left + x, base: top + 16, align })
      })
      for (const [at, { gender, count, figures }] of genders.entries()) {
        const rate = figures.pass_rate === null ? '–' : percent(figures.pass_rate)
        const texts = [capitalised(say(genderWord(gender))), String(count), figure(figures.class_average), rate]
        canvas.content(canvas.section, 'P', () => {
          for (const [column, { x, align }] of columns.entries())
            canvas.line(texts[column] as string, BODY, { x: left + x, base: top + 29 + at * 12, align })
        })
      }
    },
  }
}
