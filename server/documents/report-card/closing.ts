import { baseIn, type Canvas, colors, type Style } from '../drawing/canvas.ts'
import type { Block } from '../drawing/flow.ts'
import { wrap } from '../drawing/lines.ts'
import type { Card } from './card.ts'

const LABEL: Style = { face: 'semibold', size: 8, color: colors.accent }
const styleOf = ({ density }: Card): Style => ({ face: 'regular', size: density.tight ? 8.6 : 9.4, color: colors.text })
const LEADING = 1.4
const LETTER: Style = { face: 'semibold', size: 9, color: colors.text }
const RANGE: Style = { face: 'regular', size: 7.4, color: colors.text }
const MEANING: Style = { face: 'regular', size: 7.2, color: colors.quiet }
const SIGNED: Style = { face: 'regular', size: 7.4, color: colors.quiet }

/** A text with its label on the left. The first lines stay with the label; the others may continue on the next page. */
function labelledBlocks(card: Card, label: string, text: string | null): Block[] {
  const indent = 112
  const style = styleOf(card)
  const line = style.size * LEADING
  const gap = card.density.tight ? 6 : 9
  const lines = wrap(text ?? '', card.fonts.regular, style.size, card.width - indent)
  const labels = wrap(label, card.fonts[LABEL.face], LABEL.size, indent - 8)
  const unbroken = lines.slice(0, 3)
  if (unbroken.length === 0) return []
  const draw = (canvas: Canvas, top: number, texts: string[]) =>
    canvas.content(canvas.section, 'P', () =>
      canvas.lines(texts, style, { x: card.left + indent, base: baseIn(top, line, style.size), width: card.width - indent }, line),
    )
  const first: Block = {
    height: gap + Math.max(unbroken.length, labels.length) * line,
    draw: (canvas, top) => {
      const base = baseIn(top + gap, line, style.size)
      canvas.content(canvas.section, 'H3', () => canvas.lines(labels, LABEL, { x: card.left, base }, line))
      draw(canvas, top + gap, unbroken)
    },
  }
  return [first, ...lines.slice(3).map((text): Block => ({ height: line, draw: (canvas, top) => draw(canvas, top, [text]) }))]
}

/** Conduct and the class teacher's remark; an absent one takes no space. */
export const remarkBlocks = (card: Card): Block[] => [
  ...labelledBlocks(card, card.words.say('card.conduct'), card.own.conduct),
  ...labelledBlocks(card, card.words.say('card.classTeacherRemark'), card.own.class_teacher_remark),
]

type Band = { letter: string; range: string; meaning: string[] }

function bandsOf({ frame, fonts, words, width }: Card, columns: number): Band[] {
  const { bands } = frame.scale
  return bands.map(({ letter, minimum, remark }, at) => ({
    letter,
    range: words.say('range', {
      from: words.plain(minimum),
      to: words.plain(at === 0 ? 100 : Math.max(minimum, (bands[at - 1]?.minimum ?? 100) - 0.01)),
    }),
    meaning: wrap(remark, fonts.regular, MEANING.size, width / columns - 12),
  }))
}

/** The grading scale: every letter with its range and meaning. */
function scaleBlock(card: Card): Block {
  const columns = Math.min(6, card.frame.scale.bands.length)
  const bands = bandsOf(card, columns)
  const share = card.width / columns
  const rows: Band[][] = []
  for (let at = 0; at < bands.length; at += columns) rows.push(bands.slice(at, at + columns))
  const heights = rows.map((row) => 15 + Math.max(...row.map(({ meaning }) => meaning.length)) * 10 + 4)
  const head = 20
  const passMark = card.words.say('card.passMark', { mark: card.words.plain(card.frame.scale.passMark) })
  return {
    height: head + heights.reduce((sum, height) => sum + height, 0) + 4,
    draw: (canvas, top) => {
      canvas.decoration(() => canvas.rule(card.left, top, card.width, colors.line, 0.5))
      canvas.content(canvas.section, 'H3', () => {
        canvas.line(card.words.say('card.scale'), LABEL, { x: card.left, base: baseIn(top + 3, 16, LABEL.size) })
        canvas.line(passMark, MEANING, {
          x: card.left + card.width,
          base: baseIn(top + 3, 16, LABEL.size),
          align: 'right',
        })
      })
      let y = top + head
      for (const [index, row] of rows.entries()) {
        for (const [at, band] of row.entries()) drawBand(canvas, band, card.left + at * share, y)
        y += heights[index] as number
      }
    },
  }
}

function drawBand(canvas: Canvas, { letter, range, meaning }: Band, x: number, top: number): void {
  canvas.content(canvas.section, 'P', () => {
    canvas.line(letter, LETTER, { x, base: baseIn(top, 13, LETTER.size) })
    canvas.line(range, RANGE, { x: x + Math.max(18, canvas.widthOf(letter, LETTER) + 5), base: baseIn(top, 13, LETTER.size) })
    canvas.lines(meaning, MEANING, { x, base: baseIn(top + 14, 10, MEANING.size) }, 10)
  })
}

function signatureBlock(card: Card): Block {
  const places = [
    [card.words.say('classTeacher'), card.frame.class_teacher ?? ''],
    [card.words.say('card.head'), ''],
    [card.words.say('card.parent'), ''],
  ] as const
  const gap = 24
  const share = (card.width - gap * (places.length - 1)) / places.length
  const height = card.density.tight ? 52 : 66
  return {
    height,
    draw: (canvas, top) => {
      for (const [at, [label, name]] of places.entries()) {
        const x = card.left + at * (share + gap)
        const [line = ''] = wrap(name, card.fonts.regular, SIGNED.size, share - canvas.widthOf(label, SIGNED) - 12)
        canvas.decoration(() => canvas.rule(x, top + height - 16, share, colors.strong, 0.6))
        canvas.content(canvas.section, 'P', () => {
          canvas.line(label, SIGNED, { x, base: top + height - 6 })
          if (line === name) canvas.line(line, { ...SIGNED, color: colors.text }, { x: x + share, base: top + height - 6, align: 'right' })
        })
      }
    },
  }
}

/** The blocks at the foot of the last page. */
export const closingBlocks = (card: Card): Block[] => [scaleBlock(card), signatureBlock(card)]
