import { hasArabic, isBidirectional, isRightToLeft, withDirection, withoutControls } from './bidi.ts'
import type { Font } from './fonts.ts'

/**
 * Text as it is printed: accents composed, tabs as spaces, control characters removed. Marks of direction stay in a text with Arabic
 * letters and are not drawn; overrides of direction are always removed.
 */
export function printable(text: string): string {
  const shown = text
    .normalize('NFC')
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, ' ')
    .replace(/(?!\n)\p{Cc}|[\u200b\u202a-\u202e\ufeff]/gu, '')
  return hasArabic(shown) ? shown : withoutControls(shown)
}

/** The same for a line that has a direction from `wrap`. */
export const printableLine = (line: string): string => withDirection(printable(line), isRightToLeft(line))

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Splits a word that is wider than the line, after a hyphen or slash where possible, else between letters. */
function pieces(word: string, widthOf: (text: string) => number, width: number): string[] {
  const found: string[] = []
  let piece = ''
  const add = (part: string) => {
    if (piece !== '' && widthOf(piece + part) > width) {
      found.push(piece)
      piece = ''
    }
    piece += part
  }
  for (const part of word.split(/(?<=[-/–—@._])/)) {
    if (widthOf(part) <= width) add(part)
    else for (const { segment } of letters.segment(part)) add(segment)
  }
  return piece === '' ? found : [...found, piece]
}

function linesOf(paragraph: string, face: Font, size: number, width: number): string[] {
  // Marks of direction are not drawn, so they have no width.
  const widthOf = (text: string) => face.widthOf(withoutControls(text), size)
  if (widthOf(paragraph) <= width) return [paragraph.trimEnd()]
  const found: string[] = []
  let line = ''
  let lineWidth = 0
  const put = (text: string) => {
    line = text
    lineWidth = widthOf(`${text} `)
  }
  for (const word of paragraph.split(/ +/)) {
    const wordWidth = widthOf(word)
    if (line !== '' && lineWidth + wordWidth <= width) {
      line += ` ${word}`
      lineWidth += widthOf(`${word} `)
      continue
    }
    if (line !== '') found.push(line)
    const parts = wordWidth <= width ? [word] : pieces(word, widthOf, width)
    found.push(...parts.slice(0, -1))
    put(parts.at(-1) ?? '')
  }
  return line === '' ? found : [...found, line]
}

/** Gives each line the direction of its paragraph, whatever letter the line begins with. */
function inDirection(paragraph: string, lines: string[]): string[] {
  if (!isBidirectional(paragraph)) return lines
  const rightToLeft = isRightToLeft(paragraph)
  return lines.map((line) => withDirection(line, rightToLeft))
}

/** Wraps a text to `width`, keeping its line breaks. An empty text has no lines. */
export function wrap(text: string, face: Font, size: number, width: number): string[] {
  const whole = printable(text).trim()
  return whole === '' ? [] : whole.split('\n').flatMap((paragraph) => inDirection(paragraph, linesOf(paragraph, face, size, width)))
}

/** Cuts a text to one line, with an ellipsis where it was longer. */
export function cut(text: string, face: Font, size: number, width: number): string {
  const [line = '', ...more] = wrap(text, face, size, width)
  if (more.length === 0) return line
  const [shorter = ''] = wrap(text, face, size, width - face.widthOf('…', size))
  return `${shorter}…`
}
