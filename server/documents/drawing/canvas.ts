import type { FontName, Fonts } from './fonts.ts'
import { printable } from './lines.ts'

/** One accent, dark enough to be legible in greyscale; lines and tints lighter than the figures. */
export const colors = { text: '#1b1f24', quiet: '#59616c', line: '#c3c9d1', strong: '#8b95a3', accent: '#1f3f6b', tint: '#f2f5f9' } as const
type Color = (typeof colors)[keyof typeof colors]

export type Style = { face: FontName; size: number; color: Color; spacing?: number }
type Structure = PDFKit.PDFStructureElement

/** The position of a line of text: `x` is its left end, right end or centre, `base` its baseline. */
type TextPosition = { x: number; base: number; align?: 'left' | 'right' | 'centre' }

/** Draws on the pages of one document, everything inside tags: what is not content is an artifact to a screen reader. */
export type Canvas = ReturnType<typeof canvasFor>

export function canvasFor(document: PDFKit.PDFDocument, fonts: Fonts) {
  const section = document.struct('Sect')
  document.addStructure(section)
  let table: Structure | undefined
  const widthOf = (text: string, { face, size, spacing = 0 }: Style): number =>
    fonts[face].widthOf(text, size) + spacing * Math.max(0, [...text].length - 1)
  /** An element of the document's structure; what it holds is drawn by `content`. */
  const element = (parent: Structure, type: string): Structure => {
    const made = document.struct(type)
    parent.add(made)
    return made
  }
  const line = (raw: string, style: Style, { x, base, align = 'left' }: TextPosition): void => {
    const text = printable(raw)
    if (text === '') return
    const isDecomposed = fonts[style.face].isDecomposed(text)
    if (isDecomposed) document.markContent('Span', { actual: text })
    const left = align === 'left' ? x : x - widthOf(text, style) / (align === 'right' ? 1 : 2)
    document
      .font(style.face)
      .fontSize(style.size)
      .fillColor(style.color)
      .text(text, left, base, { lineBreak: false, baseline: 'alphabetic', characterSpacing: style.spacing ?? 0 })
    if (isDecomposed) document.endMarkedContent()
  }
  return {
    document,
    fonts,
    /** What is drawn now: a card, say. */
    section,
    /** The table of the section, there from the first time that it is asked for. */
    table: (): Structure => {
      table ??= element(section, 'Table')
      return table
    },
    widthOf,
    line,
    /** Lines of text below each other; `base` is that of the first. */
    lines: (texts: readonly string[], style: Style, place: TextPosition, leading: number): void => {
      for (const [at, text] of texts.entries()) line(text, style, { ...place, base: place.base + at * leading })
    },
    /** The same, rotated to read upwards: `x` is its baseline, `base` where it begins. */
    verticalLine: (text: string, style: Style, { x, base }: { x: number; base: number }): void => {
      document.save().rotate(-90, { origin: [x, base] })
      line(text, style, { x, base })
      document.restore()
    },
    rule: (x: number, y: number, width: number, color: Color, weight: number): void =>
      void document.rect(x, y - weight / 2, width, weight).fill(color),
    rect: (x: number, y: number, width: number, height: number, color: Color): void => void document.rect(x, y, width, height).fill(color),
    element,
    content: (
      parent: Structure,
      type: string,
      draw: () => void,
      options: { scope?: 'Row' | 'Column' | 'Both'; alt?: string } = {},
    ): void => {
      const marked = document.markStructureContent(type)
      draw()
      document.endMarkedContent()
      parent.add(document.struct(type, options, [marked]))
    },
    decoration: (draw: () => void): void => {
      document.markContent('Artifact', { type: 'Layout' })
      draw()
      document.endMarkedContent()
    },
  }
}

/** The baseline that centres the capitals of a line of text in a box of this height. */
export const baseIn = (top: number, height: number, size: number): number => top + height / 2 + size * 0.357
