import { isBidirectional, isRightToLeft, withoutControls } from './bidi.ts'
import { type FaceRun, type FontName, type Fonts, selectFace } from './fonts.ts'
import { printableLine } from './lines.ts'

/** One accent, dark enough to be legible in greyscale; lines and tints lighter than the figures. */
export const colors = { text: '#1b1f24', quiet: '#59616c', line: '#c3c9d1', strong: '#8b95a3', accent: '#1f3f6b', tint: '#f2f5f9' } as const
type Color = (typeof colors)[keyof typeof colors]

export type Style = { face: FontName; size: number; color: Color; spacing?: number }
type Structure = PDFKit.PDFStructureElement

/**
 * The position of a line of text: `x` is its left end, right end or centre, `base` its baseline. Where `width` says what room its paragraph
 * has, one that runs from right to left stands at the right end of it.
 */
type TextPosition = { x: number; base: number; align?: 'left' | 'right' | 'centre'; width?: number }

/** Draws on the pages of one document, everything inside tags: what is not content is an artifact to a screen reader. */
export type Canvas = ReturnType<typeof canvasFor>

export function canvasFor(document: PDFKit.PDFDocument, fonts: Fonts) {
  const section = document.struct('Sect')
  document.addStructure(section)
  let table: Structure | undefined
  const widthOf = (text: string, style: Style): number => {
    const { face, size, spacing = 0 } = style
    const apart = spacing === 0 ? 0 : fonts[face].runsOf(text).reduce((sum, run) => sum + spacingIn(run, style), 0)
    return fonts[face].widthOf(text, size) + Math.max(0, apart - spacing)
  }
  /** An element of the document's structure; what it holds is drawn by `content`. */
  const element = (parent: Structure, type: string): Structure => {
    const made = document.struct(type)
    parent.add(made)
    return made
  }
  /** The lines of what is drawn now, and whether one of them is read in another order than it stands in. */
  let told: { texts: string[]; isBidirectional: boolean } = { texts: [], isBidirectional: false }
  const line = (raw: string, style: Style, { x, base, align = 'left', width }: TextPosition): void => {
    const text = printableLine(raw)
    if (text === '') return
    told.texts.push(withoutControls(text))
    told.isBidirectional ||= isBidirectional(text)
    const room = width !== undefined && isRightToLeft(text) ? width - widthOf(text, style) : 0
    let left = align === 'left' ? x + room : x - widthOf(text, style) / (align === 'right' ? 1 : 2)
    for (const each of fonts[style.face].runsOf(text)) {
      drawRun(document, each, style, { left, base })
      left += each.face.widthOf(each.text, style.size) + spacingIn(each, style)
    }
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
      told = { texts: [], isBidirectional: false }
      const marked = document.markStructureContent(type)
      draw()
      document.endMarkedContent()
      const actual = told.isBidirectional ? { actual: told.texts.join(' ') } : {}
      parent.add(document.struct(type, { ...options, ...actual }, [marked]))
    },
    decoration: (draw: () => void): void => {
      document.markContent('Artifact', { type: 'Layout' })
      draw()
      document.endMarkedContent()
    },
  }
}

function drawRun(
  document: PDFKit.PDFDocument,
  { text, face }: FaceRun,
  style: Style,
  { left, base }: { left: number; base: number },
): void {
  const isDecomposed = face.isDecomposed(text)
  if (isDecomposed) document.markContent('Span', { actual: text })
  selectFace(document, face)
  document
    .fontSize(style.size)
    .fillColor(style.color)
    .text(text, left, base, { lineBreak: false, baseline: 'alphabetic', characterSpacing: face.isArabic ? 0 : (style.spacing ?? 0) })
  if (isDecomposed) document.endMarkedContent()
}

/** Nothing stands between the letters of Arabic, which are joined. */
const spacingIn = ({ text, face }: FaceRun, { spacing = 0 }: Style): number => (face.isArabic ? 0 : spacing * [...text].length)

/** The baseline that centres the capitals of a line of text in a box of this height. */
export const baseIn = (top: number, height: number, size: number): number => top + height / 2 + size * 0.357
