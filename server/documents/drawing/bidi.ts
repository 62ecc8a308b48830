import bidiFactory, { type Bidi } from 'bidi-js'

/*
 * The order in which a line with Arabic letters stands on paper, by the Unicode Bidirectional Algorithm (UAX 9). A line takes its
 * direction from its first letter, so a mark before it gives it another.
 */

/** Letters, figures and signs of Arabic, Persian and Urdu. */
const ARABIC = /[\u0600-\u061b\u061d-\u06ff\u0750-\u077f\u0870-\u08ff\ufb50-\ufdff\ufe70-\ufefc]/
/** Drawn as they stand, from left to right, though they are Arabic. */
const FIGURES = /^[\u0660-\u066c\u06dd\u06f0-\u06f9]+$/
/** These say how the text beside them is ordered, and have no picture. */
const CONTROLS = /[\u061c\u200e\u200f\u2066-\u2069]/g
/** An accent, or a sign that says how its neighbours join: it belongs to the character before it. */
const COMBINING = /[\p{M}\u200c\u200d]/u

const LEFT_TO_RIGHT = '\u200e'
const RIGHT_TO_LEFT = '\u200f'
const [ISOLATE, END_OF_ISOLATE] = ['\u2068', '\u2069']

/** With its factory called once, and not before there is such a text. */
let loaded: Bidi | undefined
const bidi = (): Bidi => {
  loaded ??= bidiFactory()
  return loaded
}

export const hasArabic = (text: string): boolean => ARABIC.test(text)
/** Its characters may stand in another order than they are read in. */
export const isBidirectional = (text: string): boolean => hasArabic(text) || text.startsWith(RIGHT_TO_LEFT)
export const withoutControls = (text: string): string => text.replace(CONTROLS, '')

export const isRightToLeft = (text: string): boolean =>
  isBidirectional(text) && (bidi().getEmbeddingLevels(text).paragraphs[0]?.level ?? 0) % 2 === 1

/** A line of a paragraph, which keeps the direction of the paragraph whatever letter it begins with. */
export const withDirection = (line: string, rightToLeft: boolean): string =>
  isRightToLeft(line) === rightToLeft ? line : `${rightToLeft ? RIGHT_TO_LEFT : LEFT_TO_RIGHT}${line}`

/** Text that is ordered by itself, whatever stands beside it. */
export const isolated = (text: string): string => `${ISOLATE}${text}${END_OF_ISOLATE}`

/** A line that runs from right to left, also where it has no letter. */
export const rightToLeftSentence = (text: string): string => `${RIGHT_TO_LEFT}${text}`

/** Texts of a school in one line, where the order inside one moves nothing of another. From left to right, as the words beside them do. */
export function joined(parts: readonly string[], rightToLeft = false): string {
  if (!parts.some(hasArabic)) return parts.join(BETWEEN)
  return `${rightToLeft ? RIGHT_TO_LEFT : LEFT_TO_RIGHT}${parts.map(isolated).join(BETWEEN)}`
}
const BETWEEN = '  ·  '

/** How a face of Arabic letters draws a text that `visualRuns` made for it. */
export const isLaidOutRightToLeft = (text: string): boolean => !FIGURES.test(text)

/** A piece of a line that one face draws. Arabic is in the order in which it is read, as its face joins the letters. */
export type Run = { text: string; isArabic: boolean }

/** The runs of a line from left to right. `canDraw`: the Arabic face has this character, by its code point. */
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

/** For each unit of a line, whether the Arabic face draws it: signs that both faces have are drawn by that of the other letters. */
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

/** For a face that draws the other way. `isMirrored`: brackets of text from right to left open to the left. */
function reversed(text: string, isMirrored: boolean): string {
  const characters = [...text].reverse()
  return (isMirrored ? characters.map((character) => bidi().getMirroredCharacter(character) ?? character) : characters).join('')
}
