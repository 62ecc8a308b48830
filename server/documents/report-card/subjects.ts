import { baseIn, type Canvas, colors, type Style } from '../drawing/canvas.ts'
import type { Block } from '../drawing/flow.ts'
import { cut, wrap } from '../drawing/lines.ts'
import type { Card, Density } from './card.ts'
import { type Columns, cellText, columnsOf, hasPartial } from './columns.ts'
import type { TermEntry, YearEntry } from './report-card.input.ts'

const LETTER = 46
const GAP = 9
/** The gap between a subject and its teacher beside it. */
const BESIDE = 6
const HEAD: Style = { face: 'semibold', size: 7.6, color: colors.accent }
const UNDER: Style = { face: 'regular', size: 6.8, color: colors.quiet }
const NOTE: Style = { face: 'regular', size: 7.2, color: colors.quiet }
const HEAD_HEIGHT = 28
/** The program's own heads have at most two lines, with this distance. */
const HEAD_LINES = 2
const HEAD_LINE = 9
/** Lines of a remark that stay on one page; the others may continue on the next. */
const UNBROKEN_LINES = 24

type Entry = TermEntry | YearEntry
/** The columns of the table, for entries of either layout. */
type Table = { card: Card; columns: Columns<Entry>; subject: number; remark: number; remarkAt: number; teachersBeside: boolean }

/** The width of the widest subject with its teacher beside it. */
const widthBeside = ({ own, fonts, density }: Card): number =>
  Math.max(
    0,
    ...own.entries.map(
      ({ subject, teacher }) =>
        fonts.semibold.widthOf(subject, density.size) + (teacher ? BESIDE + fonts.regular.widthOf(teacher, density.size - 2) : 0),
    ),
  )

function tableOf(card: Card): Table {
  const columns = columnsOf(card.layout, card.words) as Columns<Entry>
  const figures = columns.figures.reduce((sum, { width }) => sum + width, 0)
  const rest = card.width - figures - LETTER - GAP
  const usual = rest * (columns.figures.length > 3 ? 0.45 : 0.48)
  const beside = card.density.tight ? widthBeside(card) + GAP : Number.POSITIVE_INFINITY
  // At tight spacing teachers are printed beside their subjects instead of below, where every row is wide enough.
  const teachersBeside = beside <= rest * 0.56
  const subject = teachersBeside ? Math.max(usual, beside) : usual
  return { card, columns, subject, remark: rest - subject, remarkAt: card.left + subject + figures + LETTER + GAP, teachersBeside }
}

/** The lines of a head, and the small text below. A school's own word that is too long continues in the small line. */
function headIn({ fonts }: Card, { head, under, width, isOwnWord }: Columns<Entry>['figures'][number]): { lines: string[]; under: string } {
  const room = width - 2
  const lines = wrap(head, fonts.semibold, HEAD.size, room)
  if (lines.length < 2 || !isOwnWord) return { lines: lines.slice(0, HEAD_LINES), under }
  return { lines: lines.slice(0, 1), under: cut(lines.slice(1).join(' '), fonts.regular, UNDER.size, room) }
}

function headBlock({ card, columns, subject, remarkAt }: Table): Block {
  const heads = columns.figures.map((column) => headIn(card, column))
  const height = HEAD_HEIGHT + (Math.max(1, ...heads.map(({ lines }) => lines.length)) - 1) * HEAD_LINE
  const { say } = card.words
  return {
    height,
    draw: (canvas, top) => {
      const base = top + height - HEAD_HEIGHT + 11
      const row = canvas.element(canvas.table(), 'TR')
      const head = (lines: string[], under: string, x: number, align: 'left' | 'right' | 'centre') =>
        canvas.content(
          row,
          'TH',
          () => {
            canvas.lines(lines, HEAD, { x, base: base - (lines.length - 1) * HEAD_LINE, align }, HEAD_LINE)
            canvas.line(under, UNDER, { x, base: base + 9, align })
          },
          { scope: 'Column' },
        )
      head([say('card.subject')], say('card.teacher'), card.left, 'left')
      let x = card.left + subject
      for (const [at, column] of columns.figures.entries()) {
        x += column.width
        const { lines, under } = heads[at] ?? { lines: [], under: '' }
        head(lines, under, x, 'right')
      }
      head([say('card.letter')], '', x + LETTER / 2 + 6, 'centre')
      head([say('card.remark')], '', remarkAt, 'left')
      canvas.decoration(() => canvas.rule(card.left, top + height - 2, card.width, colors.accent, 1))
    },
  }
}

type Texts = ReturnType<typeof textsOf>
function textsOf({ card, columns, subject, remark }: Table, entry: Entry) {
  const { fonts, frame } = card
  const { size } = card.density
  const scaleWord = frame.scale.bands.find(({ letter }) => letter === entry.letter_grade)?.remark ?? ''
  const isOwnWords = Boolean(entry.teacher_remark?.trim())
  return {
    subject: wrap(entry.subject, fonts.semibold, size, subject - GAP),
    teacher: wrap(entry.teacher ?? '', fonts.regular, size - 2, subject - GAP),
    letter: wrap(entry.letter_grade ?? '–', fonts.semibold, size, LETTER - 4),
    remark: isOwnWords
      ? wrap(entry.teacher_remark ?? '', fonts.regular, size - 1.2, remark)
      : wrap(scaleWord, fonts.italic, size - 1.2, remark),
    isOwnWords,
    signed: columns.figures.map(({ isResult, isPartial }) => (isResult ? columns.isPartial(entry) : isPartial?.(entry) === true)),
    figures: columns.figures.map((column) => cellText(column, entry, card.words)),
  }
}

const leading = { subject: 1.3, teacher: 1.34, remark: 1.34 } as const

/** The row of one subject: a block, or several where its remark is very long. */
function rowBlocks(table: Table, entry: Entry): Block[] {
  const texts = textsOf(table, entry)
  const { size, pad } = table.card.density
  const line = (size - 1.2) * leading.remark
  const first = texts.remark.slice(0, UNBROKEN_LINES)
  const named =
    texts.subject.length * size * leading.subject + (table.teachersBeside ? 0 : texts.teacher.length * (size - 2) * leading.teacher)
  const isContinued = texts.remark.length > first.length
  const height =
    Math.max(named, texts.letter.length * size * leading.subject, first.length * line + (size * leading.subject - line)) +
    pad * (isContinued ? 1 : 2)
  const rest = texts.remark.slice(UNBROKEN_LINES).map((text, at, all): Block => {
    const isLast = at === all.length - 1
    return {
      isRow: true,
      height: line + (isLast ? pad : 0),
      draw: (canvas, top) => drawContinuation(canvas, table, { text, top, line, isLast }),
    }
  })
  const body: Block = {
    isRow: true,
    height,
    draw: (canvas, top) => drawRow(canvas, table, { texts, first, top, height, isWhole: !isContinued }),
  }
  return [body, ...rest]
}

type Continuation = { text: string; top: number; line: number; isLast: boolean }
function drawContinuation(canvas: Canvas, { card, remarkAt, remark }: Table, { text, top, line, isLast }: Continuation): void {
  const style: Style = { face: 'regular', size: card.density.size - 1.2, color: colors.text }
  const row = canvas.element(canvas.table(), 'TR')
  canvas.content(row, 'TD', () => canvas.line(text, style, { x: remarkAt, base: baseIn(top, line, style.size), width: remark }))
  if (isLast) canvas.decoration(() => canvas.rule(card.left, top + line + card.density.pad, card.width, colors.line, 0.5))
}

type Row = { texts: Texts; first: string[]; top: number; height: number; isWhole: boolean }
function drawRow(canvas: Canvas, table: Table, { texts, first, top, height, isWhole }: Row): void {
  const { card, columns, subject, remark, remarkAt } = table
  const { size, pad } = card.density
  const row = canvas.element(canvas.table(), 'TR')
  const base = baseIn(top + pad, size * leading.subject, size)
  canvas.content(row, 'TH', () => drawSubject(canvas, table, texts, top), { scope: 'Row' })
  let x = card.left + subject
  for (const [at, column] of columns.figures.entries()) {
    x += column.width
    const style: Style = { face: column.isResult ? 'semibold' : 'regular', size, color: colors.text }
    canvas.content(row, 'TD', () => {
      canvas.line(texts.figures[at] as string, style, { x, base, align: 'right' })
      if (texts.signed[at]) canvas.line('†', { ...style, face: 'regular', size: size - 1 }, { x: x + 1.2, base: base - 1.5 })
    })
  }
  const letter: Style = { face: 'semibold', size, color: colors.accent }
  const middle = x + LETTER / 2 + 6
  canvas.content(row, 'TD', () => canvas.lines(texts.letter, letter, { x: middle, base, align: 'centre' }, size * leading.subject))
  const style: Style = {
    face: texts.isOwnWords ? 'regular' : 'italic',
    size: size - 1.2,
    color: texts.isOwnWords ? colors.text : colors.quiet,
  }
  canvas.content(row, 'TD', () => canvas.lines(first, style, { x: remarkAt, base, width: remark }, style.size * leading.remark))
  if (isWhole) canvas.decoration(() => canvas.rule(card.left, top + height, card.width, colors.line, 0.5))
}

function drawSubject(canvas: Canvas, { card, teachersBeside }: Table, { subject, teacher }: Texts, top: number): void {
  const { size, pad }: Density = card.density
  const named: Style = { face: 'semibold', size, color: colors.text }
  const taught: Style = { face: 'regular', size: size - 2, color: colors.quiet }
  if (teachersBeside) {
    const base = baseIn(top + pad, size * leading.subject, size)
    canvas.line(subject[0] ?? '', named, { x: card.left, base })
    canvas.line(teacher[0] ?? '', taught, { x: card.left + canvas.widthOf(subject[0] ?? '', named) + BESIDE, base })
    return
  }
  const [height, below] = [size * leading.subject, taught.size * leading.teacher]
  canvas.lines(subject, named, { x: card.left, base: baseIn(top + pad, height, size) }, height)
  canvas.lines(teacher, taught, { x: card.left, base: baseIn(top + pad + subject.length * height, below, taught.size) }, below)
}

function textBlock(card: Card, text: string, style: Style, space: number): Block[] {
  const line = style.size * 1.4
  return wrap(text, card.fonts[style.face], style.size, card.width).map((words, at) => ({
    height: line + (at === 0 ? space : 0),
    draw: (canvas, top) =>
      canvas.content(canvas.section, 'P', () =>
        canvas.line(words, style, { x: card.left, base: baseIn(top + (at === 0 ? space : 0), line, style.size) }),
      ),
  }))
}

/** The table of subjects with its notes; `head` is repeated on each further page. */
export function subjectBlocks(card: Card): { head: Block | null; blocks: Block[] } {
  const table = tableOf(card)
  if (card.own.entries.length === 0) {
    const none = card.words.say('card.noResults')
    return { head: null, blocks: textBlock(card, none, { face: 'italic', size: 9.5, color: colors.quiet }, 6) }
  }
  const rows = card.own.entries.flatMap((entry) => rowBlocks(table, entry))
  const partial = hasPartial(card.layout, card.words, card.own) ? textBlock(card, card.words.say('card.partial'), NOTE, 1) : []
  const codes = codesOn(table)
  const explained =
    codes.length > 0
      ? textBlock(
          card,
          card.words.say('card.codes', { list: codes.reduce((list, next) => card.words.say('card.codesAnd', { list, next })) }),
          NOTE,
          1,
        )
      : []
  return { head: headBlock(table), blocks: [...rows, ...textBlock(card, table.columns.note, NOTE, 6), ...partial, ...explained] }
}

/** The codes on the card with their names, in the school's order. */
function codesOn({ card: { own, frame, words }, columns }: Table): string[] {
  const used = new Set(
    own.entries.flatMap((entry) => columns.figures.flatMap((column) => (column.of(entry) === null && column.code?.(entry)) || [])),
  )
  return frame.codes
    .filter(({ code }) => used.has(code))
    .map((code) => words.say('card.codeMeans', { code: code.code, name: words.codeName(code) }))
}
