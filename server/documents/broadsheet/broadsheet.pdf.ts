import { joined } from '../drawing/bidi.ts'
import { baseIn, type Canvas, canvasFor, colors, type Style } from '../drawing/canvas.ts'
import { crestPicture } from '../drawing/crest.ts'
import { type Block, flow } from '../drawing/flow.ts'
import { openFonts } from '../drawing/fonts.ts'
import { letterhead } from '../drawing/letterhead.ts'
import { cut, wrap } from '../drawing/lines.ts'
import { landscape, openPdf } from '../drawing/pdf.ts'
import { figureText, plainText } from '../report-card/columns.ts'
import { dayOf, historyText, periodText } from '../report-card/words.ts'
import { type BroadsheetInput, hasPartial, PARTIAL, PARTIAL_MEANS } from './broadsheet.input.ts'
import { genderBlock, headOf, rowOf, type Sheet, statisticBlock } from './broadsheet.page.ts'
import { statisticsOf } from './statistics.ts'
import { tablePlans } from './table-plan.ts'

const SIDE = 34
const TITLE: Style = { face: 'semibold', size: 14, color: colors.text }
const LABEL: Style = { face: 'regular', size: 7, color: colors.quiet }
const FIGURE: Style = { face: 'semibold', size: 12, color: colors.text }

const periodOf = (input: BroadsheetInput) => periodText(input, input.report_type === 'term')

function titleBlock({ input, fonts, left, width }: Sheet, part: string[]): Block {
  const title = joined(['Broadsheet', `class ${input.class_name}`, periodOf(input), ...part])
  const lines = wrap(title, fonts.semibold, TITLE.size, width)
  const teacher = input.class_teacher === null ? [] : wrap(`Class teacher: ${input.class_teacher}`, fonts.regular, 8.5, width)
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

/** The class in seven figures. */
function summaryBlock({ statistics: { whole }, left, width }: Sheet): Block {
  const cells: [label: string, text: string][] = [
    ['Pupils', String(whole.total_students)],
    ['With a result', String(whole.ranked_students)],
    ['Class average', figureText(whole.class_average)],
    ['Median', figureText(whole.median)],
    ['Highest', figureText(whole.highest)],
    ['Lowest', figureText(whole.lowest)],
    ['Passed', String(whole.pass_count)],
    ['Pass rate', whole.pass_rate === null ? '–' : `${plainText(whole.pass_rate)} %`],
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

function noteBlock({ input, fonts, left, width }: Sheet): Block {
  const what = input.report_type === 'term' ? 'term composites' : 'year grades'
  const partial = hasPartial(input) ? ` ${PARTIAL} ${PARTIAL_MEANS}.` : ''
  const text = `Marks are ${what}, percent. A dash: no result yet; nothing: the subject is not taken. Shaded: under the pass mark of ${plainText(input.scale.passMark)}.${partial}`
  const lines = wrap(text, fonts[LABEL.face], LABEL.size, width)
  return {
    height: 5 + lines.length * 9,
    draw: (canvas, top) => canvas.content(canvas.section, 'P', () => canvas.lines(lines, LABEL, { x: left, base: top + 11 }, 9)),
  }
}

function drawFoot(canvas: Canvas, { input, fonts, left, width }: Sheet, height: number, page: number, pages: number): void {
  canvas.decoration(() => {
    const base = height - 22
    const text = joined([input.school.name, `class ${input.class_name}`, periodOf(input), `made on ${dayOf(input.madeAt)}`])
    canvas.line(cut(text, fonts.regular, LABEL.size, width - (input.historyCode ? 200 : 80)), LABEL, { x: left, base })
    canvas.line(`${historyText(input.historyCode)}Page ${page} of ${pages}`, LABEL, { x: left + width, base, align: 'right' })
  })
}

/**
 * The broadsheet of a class with its statistics, landscape. More subjects than fit beside the names go on in another run of pages.
 * The same input gives the same bytes.
 */
export async function broadsheetPdf(input: BroadsheetInput): Promise<Uint8Array> {
  const fonts = await openFonts()
  const size = landscape(input.paper)
  const sheet: Sheet = {
    input,
    statistics: statisticsOf(input),
    fonts,
    crest: crestPicture(input.school.crest),
    left: SIDE,
    width: size.width - 2 * SIDE,
  }
  const bounds = { top: 30, bottom: size.height - 38 }
  const plans = tablePlans(input.subjects, sheet.width, fonts)
  const runs = plans.map((plan, at) => {
    const part = plans.length === 1 ? [] : [`part ${at + 1} of ${plans.length}`]
    const opening =
      at === 0 ? [letterhead(input.school, sheet, 10), titleBlock(sheet, part), summaryBlock(sheet)] : [titleBlock(sheet, part)]
    const rows = input.pupils.map((pupil, index) => rowOf(sheet, plan, pupil, index + 1))
    const end = at === plans.length - 1 && sheet.statistics.genders.length > 0 ? [genderBlock(sheet)] : []
    const blocks = [...opening, ...rows, statisticBlock(sheet, plan), noteBlock(sheet), ...end]
    return flow({ blocks, closing: [], head: headOf(sheet, plan), first: bounds.top, ...bounds })
  })
  const title = `Broadsheet, class ${input.class_name}, ${periodOf(input)}`
  const about = { title, author: input.school.name, subject: 'Results of a class', madeAt: input.madeAt }
  const { document, finish } = openPdf(about, size, fonts)
  const pages = runs.flat()
  let first = 0
  for (const run of runs) {
    const canvas = canvasFor(document, fonts)
    for (const [index, placed] of run.entries()) {
      document.addPage()
      for (const { block, top } of placed) block.draw(canvas, top)
      drawFoot(canvas, sheet, size.height, first + index + 1, pages.length)
    }
    first += run.length
  }
  return finish()
}
