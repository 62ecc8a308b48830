import type { GroupFigures } from '@markbook/shared/contract/calculations'
import { baseIn, type Canvas, colors, type Style } from '../drawing/canvas.ts'
import type { CrestPicture } from '../drawing/crest.ts'
import type { Block } from '../drawing/flow.ts'
import type { Fonts } from '../drawing/fonts.ts'
import { wrap } from '../drawing/lines.ts'
import { figureText, plainText } from '../report-card/columns.ts'
import { capitalised } from '../report-card/words.ts'
import { type BroadsheetInput, type BroadsheetPupil, isPartial, PARTIAL } from './broadsheet.input.ts'
import { letterRows, statisticRows } from './broadsheet.tables.ts'
import { type Statistics, totalOf } from './statistics.ts'
import { beside, HEAD_SIZE, type TablePlan } from './table-plan.ts'

/** A broadsheet on its paper: what it shows, and where it stands (points from the top left). */
export type Sheet = {
  input: BroadsheetInput
  statistics: Statistics
  fonts: Fonts
  crest: CrestPicture | null
  left: number
  width: number
}

const HEAD: Style = { face: 'semibold', size: HEAD_SIZE, color: colors.accent }
const BODY: Style = { face: 'regular', size: 7.6, color: colors.text }
const STRONG: Style = { ...BODY, face: 'semibold' }
const QUIET: Style = { ...BODY, size: 6.6, color: colors.quiet }
/** Hangs behind the figure, in the gap between two columns. */
const SIGN: Style = { ...STRONG, size: 5 }
const LINE = 9.8
const ROW = 14.2
/** Behind a mark under the pass mark: it is seen in grey too, and takes nothing from the figure. */
const LOW = '#e3e7ed' as typeof colors.tint

/** `rests`: on the results of the subjects. */
type Column = {
  head: string
  width: number
  style: Style
  rests: boolean
  text: (pupil: BroadsheetPupil, input: BroadsheetInput) => string
}
const ENDS: Column[] = [
  { head: 'Total', width: beside.total, style: BODY, rests: true, text: (pupil, { subjects }) => figureText(totalOf(pupil, subjects)) },
  { head: 'Average', width: beside.average, style: STRONG, rests: true, text: ({ overall_average }) => figureText(overall_average) },
  { head: 'Letter', width: beside.letter, style: BODY, rests: false, text: ({ letter_grade }) => letter_grade ?? '–' },
  { head: 'Position', width: beside.position, style: BODY, rests: false, text: ({ position }) => String(position ?? '–') },
]

const subjectsAt = (sheet: Sheet, plan: TablePlan) => sheet.left + beside.number + plan.name
const endsAt = (sheet: Sheet, plan: TablePlan) => subjectsAt(sheet, plan) + plan.heads.length * plan.width
const widthOf = (sheet: Sheet, plan: TablePlan) => endsAt(sheet, plan) - sheet.left + ENDS.reduce((sum, { width }) => sum + width, 0)

/** The head of the table, drawn again on every page. */
export function headOf(sheet: Sheet, plan: TablePlan): Block {
  const height = plan.headHeight
  return {
    height: height + 2,
    draw: (canvas, top) => {
      const row = canvas.element(canvas.table(), 'TR')
      const foot = top + height - 5
      const cell = (draw: () => void) => canvas.content(row, 'TH', draw, { scope: 'Column' })
      cell(() => canvas.line('No.', HEAD, { x: sheet.left, base: foot }))
      cell(() => canvas.line('Pupil', HEAD, { x: sheet.left + beside.number, base: foot }))
      for (const [at, { lines }] of plan.heads.entries()) {
        const right = subjectsAt(sheet, plan) + (at + 1) * plan.width
        cell(() => drawHead(canvas, plan, lines, right, foot))
      }
      let x = endsAt(sheet, plan)
      for (const { head, width } of ENDS) {
        x += width
        cell(() => canvas.line(head, HEAD, { x, base: foot, align: 'right' }))
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

/** A pupil's row: as high as the name takes. */
export function rowOf(sheet: Sheet, plan: TablePlan, pupil: BroadsheetPupil, number: number): Block {
  const name = wrap(`${pupil.last_name}, ${pupil.first_name}`, sheet.fonts.regular, BODY.size, plan.name - 8)
  const height = ROW + (name.length - 1) * LINE
  return {
    isRow: true,
    height,
    draw: (canvas, top) => {
      const base = baseIn(top, ROW, BODY.size)
      const row = canvas.element(canvas.table(), 'TR')
      canvas.decoration(() => canvas.rule(sheet.left, top + height, widthOf(sheet, plan), colors.line, 0.4))
      canvas.content(row, 'TD', () => canvas.line(String(number), QUIET, { x: sheet.left, base }))
      canvas.content(row, 'TH', () => canvas.lines(name, BODY, { x: sheet.left + beside.number, base }, LINE), { scope: 'Row' })
      for (const [at, { subject }] of plan.heads.entries()) {
        const mark = pupil.marks[subject.id]
        const right = subjectsAt(sheet, plan) + (at + 1) * plan.width
        const isLow = mark ? mark.figure < sheet.input.scale.passMark : false
        if (isLow) canvas.decoration(() => canvas.rect(right - plan.width + 2, top + 1.6, plan.width, ROW - 3.2, LOW))
        canvas.content(row, 'TD', () => drawMark(canvas, plan, mark, right, base))
      }
      let x = endsAt(sheet, plan)
      for (const { width, style, rests, text } of ENDS) {
        x += width
        const right = x
        const end = text(pupil, sheet.input)
        const size = Math.min(style.size, (style.size * (width - 4)) / Math.max(1, canvas.widthOf(end, style)))
        canvas.content(row, 'TD', () => {
          canvas.line(end, { ...style, size }, { x: right, base, align: 'right' })
          if (rests && isPartial(pupil) && end !== figureText(null)) drawSign(canvas, right, base)
        })
      }
    },
  }
}

/** The letter stands beside the figure where there is room for both. */
function drawMark(
  canvas: Canvas,
  { width }: TablePlan,
  mark: BroadsheetPupil['marks'][string] | undefined,
  right: number,
  base: number,
): void {
  if (mark === undefined) return
  const letter = width >= 44 && mark?.letter && canvas.widthOf(mark.letter, QUIET) < 14 ? mark.letter : null
  const end = letter === null ? right : right - 16
  canvas.line(figureText(mark?.figure ?? null), BODY, { x: end, base, align: 'right' })
  if (mark?.is_partial) drawSign(canvas, end, base)
  if (letter !== null) canvas.line(letter, QUIET, { x: right - 13, base })
}

const drawSign = (canvas: Canvas, end: number, base: number) => canvas.line(PARTIAL, SIGN, { x: end + 0.2, base: base - 2.2 })

type StatisticRow = { label: string; text: (figures: GroupFigures) => string }
const STATISTIC = 11.6

/** What is known of each subject, in its column; of the class, under the average. It stays on one page. */
export function statisticBlock(sheet: Sheet, plan: TablePlan): Block {
  const figures = statisticRows.map(([label, of]): StatisticRow => {
    const text = (own: GroupFigures) => (label === 'Passed' ? String(of(own) ?? '–') : figureText(of(own)))
    return { label, text }
  })
  const letters = letterRows(sheet.input.scale).map(([label, of]): StatisticRow => ({ label, text: (own) => String(of(own) || '–') }))
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
  canvas.content(row, 'TH', () => canvas.line(label, STRONG, { x: sheet.left + beside.number, base }), { scope: 'Row' })
  for (const [at, { subject }] of plan.heads.entries()) {
    const own = bySubject.get(subject.id)
    const x = subjectsAt(sheet, plan) + (at + 1) * plan.width
    if (own) canvas.content(row, 'TD', () => canvas.line(text(own), BODY, { x, base, align: 'right' }))
  }
  const x = endsAt(sheet, plan) + beside.total + beside.average
  canvas.content(row, 'TD', () => canvas.line(text(sheet.statistics.whole), STRONG, { x, base, align: 'right' }))
}

const GENDER_COLUMNS = [
  { head: 'By gender', x: beside.number, align: 'left' },
  { head: 'Pupils', x: 130, align: 'right' },
  { head: 'Mean', x: 180, align: 'right' },
  { head: 'Pass rate', x: 240, align: 'right' },
] as const

/** What girls and boys have, at the end of the sheet. */
export function genderBlock({ statistics: { genders }, left }: Sheet): Block {
  return {
    height: 22 + genders.length * 12,
    draw: (canvas, top) => {
      canvas.content(canvas.section, 'H3', () => {
        for (const { head, x, align } of GENDER_COLUMNS) canvas.line(head, HEAD, { x: left + x, base: top + 16, align })
      })
      for (const [at, { gender, count, figures }] of genders.entries()) {
        const rate = figures.pass_rate === null ? '–' : `${plainText(figures.pass_rate)} %`
        const texts = [capitalised(gender), String(count), figureText(figures.class_average), rate]
        canvas.content(canvas.section, 'P', () => {
          for (const [column, { x, align }] of GENDER_COLUMNS.entries())
            canvas.line(texts[column] as string, BODY, { x: left + x, base: top + 29 + at * 12, align })
        })
      }
    },
  }
}
