import bidiFactory, { type Bidi } from 'bidi-js'

/*
 * The visual order of a line with Arabic letters, by the Unicode Bidirectional Algorithm (UAX 9). The first letter of a line determines
 * its direction; a mark of direction in front of it overrides that.
 */

/** Letters, digits and signs of Arabic, Persian and Urdu. */
const ARABIC = /[\u0600-\u061b\u061d-\u06ff\u0750-\u077f\u0870-\u08ff\ufb50-\ufdff\ufe70-\ufefc]/
/** Arabic digits and signs, which are drawn from left to right. */
const FIGURES = /^[\u0660-\u066c\u06dd\u06f0-\u06f9]+$/
/** Characters that control the order of the text beside them; never drawn. */
const CONTROLS = /[\u061c\u200e\u200f\u2066-\u2069]/g
/** An accent, or a joiner, which belongs to the character before it. */
const COMBINING = /[\p{M}\u200c\u200d]/u

const LEFT_TO_RIGHT = '\u200e'
const RIGHT_TO_LEFT = '\u200f'
const [ISOLATE, END_OF_ISOLATE] = ['\u2068', '\u2069']

/** Loaded once, when a text needs it. */
let loaded: Bidi | undefined
const bidi = (): Bidi => {
  loaded ??= bidiFactory()
  return loaded
}

export const hasArabic = (text: string): boolean => ARABIC.test(text)
/** Whether its visual order may differ from its logical order. */
export const isBidirectional = (text: string): boolean => hasArabic(text) || text.startsWith(RIGHT_TO_LEFT)
export const withoutControls = (text: string): string => text.replace(CONTROLS, '')

export const isRightToLeft = (text: string): boolean =>
  isBidirectional(text) && (bidi().getEmbeddingLevels(text).paragraphs[0]?.level ?? 0) % 2 === 1

/** A line of a paragraph with the paragraph's direction, whatever its first letter is. */
export const withDirection = (line: string, rightToLeft: boolean): string =>
  isRightToLeft(line) === rightToLeft ? line : `${rightToLeft ? RIGHT_TO_LEFT : LEFT_TO_RIGHT}${line}`

/** A text whose order does not depend on the text beside it. */
export const isolated = (text: string): string => `${ISOLATE}${text}${END_OF_ISOLATE}`

/** A line with right-to-left direction, even without a letter. */
export const rightToLeftSentence = (text: string): string => `${RIGHT_TO_LEFT}${text}`

/**
 * Several texts of a school in one line, each ordered by itself. The line runs left to right, like the words beside it, unless
 * `rightToLeft`.
 */
export function joined(parts: readonly string[], rightToLeft = false): string {
  if (!parts.some(hasArabic)) return parts.join(BETWEEN)
  return `${rightToLeft ? RIGHT_TO_LEFT : LEFT_TO_RIGHT}${parts.map(isolated).join(BETWEEN)}`
}
const BETWEEN = '  ·  '

/** Whether an Arabic face draws the text of a run from right to left. */
export const isLaidOutRightToLeft = (text: string): boolean => !FIGURES.test(text)

/** A part of a line that one face draws. Arabic text is in logical order, since its face joins the letters. */
export type Run = { text: string; isArabic: boolean }

/** The runs of a line in visual order, from left to right. `canDraw`: whether the Arabic face has a glyph for this code point. */
export function visualRuns(line: string, canDraw: (codePoint: number) => boolean): Run[] {
  const { getEmbeddingLevels, getReorderedIndices } = bidi()
  const embedding = getEmbeddingLevels(line)
  const isArabicAt = facesOf(line, canDraw)
  const runs: (Run & { isReversed: boolean })[] = []
  let before = Number.NaN
  for (const at of getReorderedIndices(line, embedding)) {
    const unit = line.charAt(at)
    const isReversed = (embedding.levels[at] ?? 0) % 2 === 1
    const isArabic = isArabicAt[at] === true
    const last = runs.at(-1)
    const isNext = at === before + (isReversed ? -1 : 1)
    before = at
    if (!last || !isNext || last.isArabic !== isArabic || last.isReversed !== isReversed) runs.push({ text: unit, isArabic, isReversed })
    else last.text = isReversed ? unit + last.text : last.text + unit
  }
  return runs
    .map(({ text, ...run }) => ({ ...run, text: withoutControls(text) }))
    .filter(({ text }) => text !== '')
    .map(({ text, isArabic, isReversed }) => ({
      isArabic,
      text: isReversed === (isArabic && isLaidOutRightToLeft(text)) ? text : reversed(text, isReversed),
    }))
}

/** For each UTF-16 unit of a line, whether the Arabic face draws it. Signs in both faces take the face of the letters beside them. */
function facesOf(line: string, canDraw: (codePoint: number) => boolean): boolean[] {
  const found: boolean[] = []
  let isArabic = false
  for (const character of line) {
    const isOwn = hasArabic(character) && canDraw(character.codePointAt(0) ?? 0)
    if (!COMBINING.test(character) || found.length === 0) isArabic = isOwn
    for (let unit = 0; unit < character.length; unit++) found.push(isArabic)
  }
  return found
}

/** Reverses a text for a face that lays out in the other direction. `isMirrored`: replaces brackets of right-to-left text by their mirror images. */
function reversed(text: string, isMirrored: boolean): string {
  const characters = [...text].reverse()
  return (isMirrored ? characters.map((character) => bidi().getMirroredCharacter(character) ?? character) : characters).join('')
}
