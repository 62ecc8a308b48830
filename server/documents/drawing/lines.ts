import { hasArabic, isBidirectional, isRightToLeft, withDirection, withoutControls } from './bidi.ts'
import type { Font } from './fonts.ts'

/**
 * Text as it is printed: accents composed where a letter has them, tabs as spaces, without controls that have no picture. Marks of
 * direction stay where there are Arabic letters, and are left out when it is drawn; what overrides the order of letters never stays.
 */
export function printable(text: string): string {
  const shown = text
    .normalize('NFC')
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, ' ')
    .replace(/(?!\n)\p{Cc}|[\u200b\u202a-\u202e\ufeff]/gu, '')
  return hasArabic(shown) ? shown : withoutControls(shown)
}

/** The same for a line that `wrap` may have given a direction. */
export const printableLine = (line: string): string => withDirection(printable(line), isRightToLeft(line))

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** A word that is wider than the line, in pieces that are not: after a hyphen or slash where there is one, else between letters. */
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
  // A mark of direction is never drawn, so it takes no room.
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

/** Which of its lines begins with what letter changes nothing in the direction of a paragraph. */
function inDirection(paragraph: string, lines: string[]): string[] {
  if (!isBidirectional(paragraph)) return lines
  const rightToLeft = isRightToLeft(paragraph)
  return lines.map((line) => withDirection(line, rightToLeft))
}

/** The lines of a text that is to stand within `width`. Line breaks of the text are kept. Empty text has no lines. */
export function wrap(text: string, face: Font, size: number, width: number): string[] {
  const whole = printable(text).trim()
  return whole === '' ? [] : whole.split('\n').flatMap((paragraph) => inDirection(paragraph, linesOf(paragraph, face, size, width)))
}

/** A text for a place that holds one line: cut where it is longer, with a sign that it was. */
export function cut(text: string, face: Font, size: number, width: number): string {
  const [line = '', ...more] = wrap(text, face, size, width)
  if (more.length === 0) return line
  const [shorter = ''] = wrap(text, face, size, width - face.widthOf('…', size))
  return `${shorter}…`
}
