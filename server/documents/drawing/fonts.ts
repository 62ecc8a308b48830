import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/*
 * Noto Sans is parsed once per thread (some 60 ms a face); documents share the parsed font, and the documents of one task also share
 * its layout cache. pdfkit takes a parsed font in place of its bytes, but does not document it, so what is used of pdfkit's internals
 * is declared in this file alone.
 */

const FILES = { regular: 'NotoSans-Regular.ttf', semibold: 'NotoSans-SemiBold.ttf', italic: 'NotoSans-Italic.ttf' }
export type FontName = keyof typeof FILES
const fontNames = Object.keys(FILES) as FontName[]

type ParsedFont = {
  layout(text: string): unknown
  getGlyph(id: number, codePoints?: readonly number[]): object
  _glyphs: Record<number, object>
}
/** Widths are those of pdfkit, kerning and all, so what was measured is what is drawn. */
type EmbeddedFont = {
  font: ParsedFont
  layoutCache: object
  widthOfString(text: string, size: number): number
  layout(text: string): { glyphs: { codePoints: readonly number[] }[] }
}
type Inside = { _font: EmbeddedFont; font(source: unknown): void }

/**
 * `isDecomposed`: the face draws a letter of this text as two glyphs (ọ as o and a dot), and the second has no character of its own in the
 * PDF.
 */
export type Font = {
  parsed: ParsedFont
  words: object
  widthOf(text: string, size: number): number
  isDecomposed(text: string): boolean
}
/** Letters that are never decomposed; nearly all text is of these. */
const WHOLE = /^[\u0020-\u024f\u0370-\u04ff\u2010-\u2026]*$/
export type Fonts = Readonly<Record<FontName, Font>>

type Pdfkit = typeof import('pdfkit')
/** Loaded on first use: a worker that only reads tables starts in half the time without it. */
let loaded: Pdfkit | undefined

/** A document of pdfkit, once there are fonts for it. */
export function newDocument(options: PDFKit.PDFDocumentOptions): PDFKit.PDFDocument {
  if (!loaded) throw new Error('fonts are opened before a document')
  return new loaded(options)
}

/** Beside the program where it is built, else in the package that brings them. */
function folderOfFonts(): string {
  const beside = join(import.meta.dirname, 'fonts')
  if (existsSync(beside)) return beside
  return join(dirname(createRequire(import.meta.url).resolve('@embedpdf/fonts-latin')), '..', 'fonts')
}

/** pdfkit lays out word by word, each with the space behind it; so widths add up, and each is asked for once. In thousandths of the size. */
function measured(embedded: EmbeddedFont): Font['widthOf'] {
  const widths = new Map<string, number>()
  const widthOfWord = (word: string) => {
    const known = widths.get(word)
    if (known !== undefined) return known
    const width = embedded.widthOfString(word, 1_000)
    widths.set(word, width)
    return width
  }
  return (text, size) => {
    let width = 0
    let from = 0
    for (let space = text.indexOf(' '); space >= 0; space = text.indexOf(' ', from)) {
      width += widthOfWord(text.slice(from, space + 1))
      from = space + 1
    }
    if (from < text.length) width += widthOfWord(text.slice(from))
    return (width * size) / 1_000
  }
}

const parsedFonts = new Map<FontName, ParsedFont>()

/**
 * fontkit keeps one object of each glyph, with the characters that it first stood for: the «e» that is a part of «é» stands for none, also
 * where a later document has it as a letter. Here there is one for each glyph and its characters, so no document depends on another.
 */
function keepGlyphsByCharacters(parsed: ParsedFont): void {
  const glyphs = new Map<string, object>()
  const makeGlyph = parsed.getGlyph
  parsed.getGlyph = (id, codePoints = []) => {
    const key = `${id} ${codePoints}`
    let glyph = glyphs.get(key)
    if (!glyph) {
      delete parsed._glyphs[id]
      glyph = makeGlyph.call(parsed, id, codePoints)
      glyphs.set(key, glyph)
    }
    return glyph
  }
}

function faceOf(scratch: Inside, name: FontName): Font {
  scratch.font(parsedFonts.get(name) ?? readFileSync(join(folderOfFonts(), FILES[name])))
  const embedded = scratch._font
  if (!parsedFonts.has(name)) keepGlyphsByCharacters(embedded.font)
  parsedFonts.set(name, embedded.font)
  return {
    parsed: embedded.font,
    words: embedded.layoutCache,
    widthOf: measured(embedded),
    isDecomposed: (text) => !WHOLE.test(text) && embedded.layout(text).glyphs.some(({ codePoints }) => codePoints.length === 0),
  }
}

/** Faces for one task: a class of report cards, a broadsheet. */
export async function openFonts(): Promise<Fonts> {
  loaded ??= (await import('pdfkit')).default
  const scratch = newDocument({ font: '', autoFirstPage: false }) as unknown as Inside
  return Object.fromEntries(fontNames.map((name) => [name, faceOf(scratch, name)])) as Fonts
}

/** Gives a document its fonts, which `document.font(name)` then finds. */
export function registerFonts(document: PDFKit.PDFDocument, fonts: Fonts): void {
  for (const name of fontNames) {
    document.registerFont(name, fonts[name].parsed as unknown as PDFKit.Mixins.PDFFontSource)
    document.font(name)
    ;(document as unknown as Inside)._font.layoutCache = fonts[name].words
  }
}
