import { isBidirectional, isRightToLeft, withoutControls } from './bidi.ts'
import { type FaceRun, type FontName, type Fonts, selectFace } from './fonts.ts'
import { printableLine } from './lines.ts'

/** One accent colour, dark enough to be legible in greyscale; lines and tints are lighter than the figures. */
export const colors = { text: '#1b1f24', quiet: '#59616c', line: '#c3c9d1', strong: '#8b95a3', accent: '#1f3f6b', tint: '#f2f5f9' } as const
type Color = (typeof colors)[keyof typeof colors]

export type Style = { face: FontName; size: number; color: Color; spacing?: number }
type Structure = PDFKit.PDFStructureElement

/**
 * The position of a line of text: `x` is its left end, right end or centre, `base` its baseline. Where `width` gives the width of its
 * paragraph, a line against the page's direction is aligned at the other end of it.
 */
type TextPosition = { x: number; base: number; align?: 'left' | 'right' | 'centre'; width?: number }

/** The width of a page, in points, and its direction. */
type Page = { width: number; isRightToLeft: boolean }

/**
 * Draws on the pages of one document. All content is tagged; everything else is an artifact, which screen readers skip. A right-to-left
 * page is the mirror image of a left-to-right one; callers always give left-to-right positions.
 */
export type Canvas = ReturnType<typeof canvasFor>

export function canvasFor(document: PDFKit.PDFDocument, fonts: Fonts, { width: pageWidth, isRightToLeft: isMirrored }: Page) {
  const shapes = shapesOn(document, (x, width) => (isMirrored ? pageWidth - x - width : x))
  const section = document.struct('Sect')
  document.addStructure(section)
  let table: Structure | undefined
  const widthOf = (text: string, style: Style): number => {
    const { face, size, spacing = 0 } = style
    const apart = spacing === 0 ? 0 : fonts[face].runsOf(text).reduce((sum, run) => sum + spacingIn(run, style), 0)
    return fonts[face].widthOf(text, size) + Math.max(0, apart - spacing)
  }
  /** Adds an element to the document's structure; `content` draws into it. */
  const element = (parent: Structure, type: string): Structure => {
    const made = document.struct(type)
    parent.add(made)
    return made
  }
  /** The texts of the current element, and whether the visual order of one of them differs from its logical order. */
  let drawn: { texts: string[]; isBidirectional: boolean } = { texts: [], isBidirectional: false }
  const line = (raw: string, style: Style, { x, base, align = 'left', width }: TextPosition): void => {
    const text = printableLine(raw)
    if (text === '') return
    const runsAgainst = isMirrored ? /\p{L}/u.test(text) && !isRightToLeft(text) : isRightToLeft(text)
    const room = width !== undefined && runsAgainst ? width - widthOf(text, style) : 0
    const from = align === 'left' ? x + room : x - widthOf(text, style) / (align === 'right' ? 1 : 2)
    drawLine(text, style, { left: shapes.leftOf(from, isMirrored ? widthOf(text, style) : 0), base })
  }
  const drawLine = (text: string, style: Style, place: { left: number; base: number }): void => {
    drawn.texts.push(withoutControls(text))
    drawn.isBidirectional ||= isBidirectional(text)
    let { left } = place
    for (const each of fonts[style.face].runsOf(text)) {
      drawRun(document, each, style, { left, base: place.base })
      left += each.face.widthOf(each.text, style.size) + spacingIn(each, style)
    }
  }
  return {
    document,
    isMirrored,
    ...shapes,
    fonts,
    /** The current section, for example one card. */
    section,
    /** The table of the section, created at the first call. */
    table: (): Structure => {
      table ??= element(section, 'Table')
      return table
    },
    widthOf,
    line,
    /** Lines of text below each other; `base` is the baseline of the first. */
    lines: (texts: readonly string[], style: Style, place: TextPosition, leading: number): void => {
      for (const [at, text] of texts.entries()) line(text, style, { ...place, base: place.base + at * leading })
    },
    /** The same rotated to read upwards: `x` is its baseline, `base` its start. */
    verticalLine: (raw: string, style: Style, { x, base }: { x: number; base: number }): void => {
      const text = printableLine(raw)
      const foot = shapes.leftOf(x, 0)
      document.save().rotate(isMirrored ? 90 : -90, { origin: [foot, base] })
      drawLine(text, style, { left: isMirrored ? foot - widthOf(text, style) : foot, base })
      document.restore()
    },
    element,
    content: (
      parent: Structure,
      type: string,
      draw: () => void,
      options: { scope?: 'Row' | 'Column' | 'Both'; alt?: string } = {},
    ): void => {
      drawn = { texts: [], isBidirectional: false }
      const marked = document.markStructureContent(type)
      draw()
      document.endMarkedContent()
      const actual = drawn.isBidirectional ? { actual: drawn.texts.join(' ') } : {}
      parent.add(document.struct(type, { ...options, ...actual }, [marked]))
    },
    decoration: (draw: () => void): void => {
      document.markContent('Artifact', { type: 'Layout' })
      draw()
      document.endMarkedContent()
    },
  }
}

const shapesOn = (document: PDFKit.PDFDocument, leftOf: (x: number, width: number) => number) => ({
  /** The left edge on the paper of something with this width. */
  leftOf,
  rule: (x: number, y: number, width: number, color: Color, weight: number): void =>
    void document.rect(leftOf(x, width), y - weight / 2, width, weight).fill(color),
  rect: (x: number, y: number, width: number, height: number, color: Color): void =>
    void document.rect(leftOf(x, width), y, width, height).fill(color),
  frame: (x: number, y: number, width: number, height: number, color: Color): void =>
    void document.roundedRect(leftOf(x, width), y, width, height, 2).lineWidth(0.8).stroke(color),
})

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
    .fontSize(style.size * face.scale)
    .fillColor(style.color)
    .text(text, left, base, { lineBreak: false, baseline: 'alphabetic', characterSpacing: face.isArabic ? 0 : (style.spacing ?? 0) })
  if (isDecomposed) document.endMarkedContent()
}

/** Arabic letters are joined, so they have no letter spacing. */
const spacingIn = ({ text, face }: FaceRun, { spacing = 0 }: Style): number => (face.isArabic ? 0 : spacing * [...text].length)

/** The baseline that centres the capitals of a line in a box of this height. */
export const baseIn = (top: number, height: number, size: number): number => top + height / 2 + size * 0.357
