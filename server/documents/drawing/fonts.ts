import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { isBidirectional, isLaidOutRightToLeft, visualRuns } from './bidi.ts'

/*
 * A face is parsed once per thread (Noto Sans in about 60 ms; an Arabic face when a text first needs it). Documents share the parsed font,
 * and the documents of one task also share its layout cache. pdfkit accepts a parsed font instead of bytes, but does not document it; all
 * use of pdfkit's internals is declared in this file.
 */

const LATIN = { regular: 'NotoSans-Regular.ttf', semibold: 'NotoSans-SemiBold.ttf', italic: 'NotoSans-Italic.ttf' }
const ARABIC = { arabic: 'NotoNaskhArabic-Regular.ttf', arabicBold: 'NotoNaskhArabic-Bold.ttf' }
export type FontName = keyof typeof LATIN
type ArabicName = keyof typeof ARABIC
type FaceName = FontName | ArabicName
const fontNames = Object.keys(LATIN) as FontName[]
/** Arabic has no italics. */
const arabicOf: Record<FontName, ArabicName> = { regular: 'arabic', semibold: 'arabicBold', italic: 'arabic' }

type Glyph = { id: number; codePoints: readonly number[] }
type GlyphRun = { glyphs: Glyph[] }
type ParsedFont = {
  layout(text: string, features?: unknown, script?: string, language?: string, direction?: 'ltr' | 'rtl'): GlyphRun
  hasGlyphForCodePoint(codePoint: number): boolean
  getGlyph(id: number, codePoints?: readonly number[]): Glyph
  _glyphs: Record<number, Glyph>
}
/** Widths are those of pdfkit, with kerning, so that measured and drawn widths agree. */
type EmbeddedFont = {
  font: ParsedFont
  layoutCache: object
  widthOfString(text: string, size: number): number
  layout(text: string): { glyphs: Glyph[] }
}
type Inside = { _font: EmbeddedFont; _registeredFonts: object; font(source: unknown): void }

/**
 * `isDecomposed`: the face draws a letter of this text as two glyphs (ọ as o and a dot), of which the second has no character in the PDF.
 * `isArabic`: its letters are joined, so they have no letter spacing. `scale`: factor by which it is drawn larger than the nominal size.
 */
type Face = {
  name: FaceName
  parsed: ParsedFont
  words: object
  widthOf(text: string, size: number): number
  isDecomposed(text: string): boolean
  isArabic: boolean
  scale: number
}
export type FaceRun = { text: string; face: Face }

/** A text style. The Noto Sans face draws nearly all text; another face draws Arabic. */
export type Font = {
  widthOf(text: string, size: number): number
  /** The parts of a text that one face draws, from left to right. */
  runsOf(text: string): readonly FaceRun[]
}
/** Characters that are never decomposed; nearly all text consists of these. */
const WHOLE = /^[\u0020-\u024f\u0370-\u04ff\u2010-\u2026]*$/
export type Fonts = Readonly<Record<FontName, Font>>

type Pdfkit = typeof import('pdfkit')
/** Loaded on first use: a worker that only reads tables starts in half the time without it. */
let loaded: Pdfkit | undefined

/** Creates a pdfkit document. Fonts must be open. */
export function newDocument(options: PDFKit.PDFDocumentOptions): PDFKit.PDFDocument {
  if (!loaded) throw new Error('fonts are opened before a document')
  return new loaded(options)
}

/** The font file: beside the built program, else in its package. */
function pathOf(name: FaceName): string {
  const file = { ...LATIN, ...ARABIC }[name]
  const beside = join(import.meta.dirname, 'fonts')
  if (existsSync(beside)) return join(beside, file)
  const from = name in ARABIC ? '@embedpdf/fonts-arabic' : '@embedpdf/fonts-latin'
  return join(dirname(createRequire(import.meta.url).resolve(from)), '..', 'fonts', file)
}

/**
 * Measures word by word, each with the space behind it, as pdfkit lays out text; so widths add up, and each word is measured once. In
 * thousandths of the size.
 */
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

const parsedFonts = new Map<FaceName, ParsedFont>()

/**
 * fontkit keeps one object for each glyph, with the characters of its first use: the «e» inside «é» has none, even if a later document
 * uses it as a letter. Here there is one object for each glyph and its characters, so that documents do not depend on each other.
 */
function keepGlyphsByCharacters(parsed: ParsedFont): void {
  const glyphs = new Map<string, Glyph>()
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

/** Sets the direction, because fontkit takes Persian digits for letters and would reverse them. */
function layOutAsArabic(parsed: ParsedFont): void {
  const layOut = parsed.layout
  parsed.layout = (text) => {
    const run = layOut.call(parsed, text, [], 'arab', undefined, isLaidOutRightToLeft(text) ? 'rtl' : 'ltr')
    run.glyphs = run.glyphs.map((glyph) => {
      const copied = copiedAs[glyph.codePoints.join(' ')]
      return copied ? parsed.getGlyph(glyph.id, [copied]) : glyph
    })
    return run
  }
}

/**
 * The characters that a PDF reader extracts instead of fontkit's. Poppler and PDFium reverse the two letters of lam with alef, but know
 * the single character for both. A character without a glyph, such as ZWNJ, is drawn as a space of zero width; runs of an Arabic face
 * contain no other space.
 */
const copiedAs: Record<string, number> = {
  [`${0x644} ${0x622}`]: 0xfef5,
  [`${0x644} ${0x623}`]: 0xfef7,
  [`${0x644} ${0x625}`]: 0xfef9,
  [`${0x644} ${0x627}`]: 0xfefb,
  [`${0x20}`]: 0x200c,
}

function faceOf(scratch: Inside, name: FaceName, arabicScale: number): Face {
  const known = parsedFonts.get(name)
  scratch.font(known ?? readFileSync(pathOf(name)))
  const embedded = scratch._font
  const parsed = embedded.font
  if (!known) {
    keepGlyphsByCharacters(parsed)
    if (name in ARABIC) layOutAsArabic(parsed)
    parsedFonts.set(name, parsed)
  }
  const isArabic = name in ARABIC
  const scale = isArabic ? arabicScale : 1
  const widthOf = measured(embedded)
  return {
    name,
    parsed,
    words: embedded.layoutCache,
    widthOf: (text, size) => widthOf(text, size * scale),
    isDecomposed: (text) =>
      !isArabic && !WHOLE.test(text) && embedded.layout(text).glyphs.some(({ codePoints }) => codePoints.length === 0),
    isArabic,
    scale,
  }
}

function fontOf(latin: Face, arabic: () => Face): Font {
  const known = new Map<string, FaceRun[]>()
  const runsOf = (text: string): FaceRun[] => {
    if (!isBidirectional(text)) return [{ text, face: latin }]
    let runs = known.get(text)
    if (!runs) {
      const canDraw = (codePoint: number) => arabic().parsed.hasGlyphForCodePoint(codePoint)
      runs = visualRuns(text, canDraw).map((run) => ({ text: run.text, face: run.isArabic ? arabic() : latin }))
      known.set(text, runs)
    }
    return runs
  }
  return {
    runsOf,
    widthOf: (text, size) =>
      isBidirectional(text) ? runsOf(text).reduce((sum, run) => sum + run.face.widthOf(run.text, size), 0) : latin.widthOf(text, size),
  }
}

/** Arabic letters are lower than Latin ones of the same size; where most words are Arabic, they are drawn larger. */
const ARABIC_SCALE = 1.16

/** Opens the faces for one task: the cards of a class, or a broadsheet. `isArabicPage`: the document's own words are Arabic. */
export async function openFonts(isArabicPage = false): Promise<Fonts> {
  loaded ??= (await import('pdfkit')).default
  const scratch = newDocument({ font: '', autoFirstPage: false }) as unknown as Inside
  const opened = new Map<FaceName, Face>()
  const face = (name: FaceName): Face => {
    const found = opened.get(name) ?? faceOf(scratch, name, isArabicPage ? ARABIC_SCALE : 1)
    opened.set(name, found)
    return found
  }
  return Object.fromEntries(fontNames.map((name) => [name, fontOf(face(name), () => face(arabicOf[name]))])) as Fonts
}

/** Registers the fonts in a document, for `document.font(name)`. */
export function registerFonts(document: PDFKit.PDFDocument, fonts: Fonts): void {
  for (const name of fontNames) for (const { face } of fonts[name].runsOf('')) selectFace(document, face)
}

/** Selects the face for the next text; adds it to the document at the first call. */
export function selectFace(document: PDFKit.PDFDocument, { name, parsed, words }: Face): void {
  const inside = document as unknown as Inside
  const isNew = !(name in inside._registeredFonts)
  if (isNew) document.registerFont(name, parsed as unknown as PDFKit.Mixins.PDFFontSource)
  document.font(name)
  if (isNew) inside._font.layoutCache = words
}
