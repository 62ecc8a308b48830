import { baseIn, type Canvas, canvasFor, colors, type Style } from '../drawing/canvas.ts'
import { crestPicture } from '../drawing/crest.ts'
import { type Block, flow } from '../drawing/flow.ts'
import { openFonts } from '../drawing/fonts.ts'
import { letterhead } from '../drawing/letterhead.ts'
import { cut, wrap } from '../drawing/lines.ts'
import { landscape, openPdf } from '../drawing/pdf.ts'
import { wordsOf } from '../words.ts'
import { type BroadsheetInput, hasPartial, PARTIAL } from './broadsheet.input.ts'
import { genderBlock, headOf, rowOf, type Sheet, statisticBlock } from './broadsheet.page.ts'
import { statisticsOf } from './statistics.ts'
import { besideOf, tablePlans } from './table-plan.ts'

const SIDE = 34
const TITLE: Style = { face: 'semibold', size: 14, color: colors.text }
const LABEL: Style = { face: 'regular', size: 7, color: colors.quiet }
const FIGURE: Style = { face: 'semibold', size: 12, color: colors.text }

const periodOf = ({ input, words }: Pick<Sheet, 'input' | 'words'>) => words.period(input, input.report_type === 'term')

function titleBlock(sheet: Sheet, part: string[]): Block {
  const { input, fonts, words, left, width } = sheet
  const ofClass = words.say('broadsheet.class', { class: input.class_name })
  const title = words.joined([words.say('broadsheet.title'), ofClass, periodOf(sheet), ...part])
  const lines = wrap(title, fonts.semibold, TITLE.size, width)
  const { class_teacher: name } = input
  const teacher = name === null ? [] : wrap(words.say('broadsheet.teacher', { name }), fonts.regular, 8.5, width)
  return {
    height: lines.length * 18 + teacher.length * 12 + 6,
    draw: (canvas, top) => {
      canvas.content(canvas.section, 'H2', () => canvas.lines(lines, TITLE, { x: left, base: baseIn(top, 18, TITLE.size) }, 18))
      const base = baseIn(top + lines.length * 18, 12, 8.5)
      if (teacher.length > 0)
        canvas.content(canvas.section, 'P', () => canvas.lines(teacher, { ...LABEL, size: 8.5 }, { x: left, base }, 12))
    },
  }
}

/** The seven figures of the class. */
function summaryBlock({ statistics: { whole }, words: { say, figure, percent }, left, width }: Sheet): Block {
  const cells: [label: string, text: string][] = [
    [say('broadsheet.pupils'), String(whole.total_students)],
    [say('broadsheet.withResult'), String(whole.ranked_students)],
    [say('broadsheet.classAverage'), figure(whole.class_average)],
    [say('broadsheet.median'), figure(whole.median)],
    [say('broadsheet.highest'), figure(whole.highest)],
    [say('broadsheet.lowest'), figure(whole.lowest)],
    [say('broadsheet.passed'), String(whole.pass_count)],
    [say('broadsheet.passRate'), whole.pass_rate === null ? '–' : percent(whole.pass_rate)],
  ]
  const share = width / cells.length
  return {
    height: 46,
    draw: (canvas, top) => {
      canvas.decoration(() => canvas.rect(left, top, width, 36, colors.tint))
      for (const [at, [label, text]] of cells.entries())
        canvas.content(canvas.section, 'P', () => {
          canvas.line(label, LABEL, { x: left + at * share + 10, base: top + 13 })
          canvas.line(text, FIGURE, { x: left + at * share + 10, base: top + 29 })
        })
    },
  }
}

function noteBlock({ input, fonts, words: { say, plain }, left, width }: Sheet): Block {
  const figures = say(input.report_type === 'term' ? 'broadsheet.noteTerm' : 'broadsheet.noteYear', { mark: plain(input.scale.passMark) })
  const partial = hasPartial(input) ? [say('broadsheet.partial', { sign: PARTIAL, meaning: say('broadsheet.partialMeans') })] : []
  const text = [figures, ...partial].join(' ')
  const lines = wrap(text, fonts[LABEL.face], LABEL.size, width)
  return {
    height: 5 + lines.length * 9,
    draw: (canvas, top) => canvas.content(canvas.section, 'P', () => canvas.lines(lines, LABEL, { x: left, base: top + 11 }, 9)),
  }
}

function drawFoot(canvas: Canvas, sheet: Sheet, height: number, page: number, pages: number): void {
  const { input, fonts, words, left, width } = sheet
  canvas.decoration(() => {
    const base = height - 22
    const made = words.say('madeOn', { day: words.dayOf(input.madeAt) })
    const text = words.joined([input.school.name, words.say('broadsheet.class', { class: input.class_name }), periodOf(sheet), made])
    const number = words.foot(page, pages, input.historyCode)
    const room = width - Math.max(input.historyCode ? 200 : 80, canvas.widthOf(number, LABEL) + 12)
    canvas.line(cut(text, fonts.regular, LABEL.size, room), LABEL, { x: left, base })
    canvas.line(number, LABEL, { x: left + width, base, align: 'right' })
  })
}

/**
 * The broadsheet of a class with its statistics, landscape. Subjects that do not fit beside the names continue on a further set of pages.
 * Equal input gives equal bytes.
 */
export async function broadsheetPdf(input: BroadsheetInput): Promise<Uint8Array> {
  const words = wordsOf(input.language)
  const fonts = await openFonts(words.isRightToLeft)
  const size = landscape(input.paper)
  const sheet: Sheet = {
    input,
    statistics: statisticsOf(input),
    fonts,
    words,
    beside: besideOf(words, fonts),
    crest: crestPicture(input.school.crest),
    left: SIDE,
    width: size.width - 2 * SIDE,
  }
  const bounds = { top: 30, bottom: size.height - 38 }
  const plans = tablePlans(input.subjects, sheet.width, sheet.beside, fonts)
  const runs = plans.map((plan, at) => {
    const part = plans.length === 1 ? [] : [words.say('broadsheet.part', { part: at + 1, parts: plans.length })]
    const opening =
      at === 0 ? [letterhead(input.school, sheet, 10), titleBlock(sheet, part), summaryBlock(sheet)] : [titleBlock(sheet, part)]
    const rows = input.pupils.map((pupil, index) => rowOf(sheet, plan, pupil, index + 1))
    const end = at === plans.length - 1 && sheet.statistics.genders.length > 0 ? [genderBlock(sheet)] : []
    const blocks = [...opening, ...rows, statisticBlock(sheet, plan), noteBlock(sheet), ...end]
    return flow({ blocks, closing: [], head: headOf(sheet, plan), first: bounds.top, ...bounds })
  })
  const told = wordsOf(input.language, true)
  const title = told.say('broadsheet.file', { class: input.class_name, period: periodOf({ input, words: told }) })
  const subject = told.say('broadsheet.about')
  const about = { title, author: input.school.name, subject, madeAt: input.madeAt, locale: words.locale }
  const { document, finish } = openPdf(about, size, fonts)
  const pages = runs.flat()
  let first = 0
  for (const run of runs) {
    const canvas = canvasFor(document, fonts, { width: size.width, isRightToLeft: words.isRightToLeft })
    for (const [index, placed] of run.entries()) {
      document.addPage()
      for (const { block, top } of placed) block.draw(canvas, top)
      drawFoot(canvas, sheet, size.height, first + index + 1, pages.length)
    }
    first += run.length
  }
  return finish()
}
