export type Separator = ',' | ';' | '\t'

/** The start of a formula. Some spreadsheets run one after spaces and invisible characters, and with full-width signs. */
const FORMULA = '(?:[\\t\\r]|[\\s\\p{Cf}]*[=+\\-@＝＋－＠])'
/** A text cell that a spreadsheet would run as a formula; an apostrophe in front prevents it. */
export const NEEDS_APOSTROPHE = new RegExp(`^'*${FORMULA}`, 'u')
/** A cell that starts with such an apostrophe; the reader removes it. */
export const HAS_APOSTROPHE = new RegExp(`^'+${FORMULA}`, 'u')

/** Excel writes the separator in a line of its own, which it does not count as a row. */
const ANNOUNCED = /^sep=([,;\t])(?:\r\n|\n|\r)/i

/** Removes the line that states the separator; `announced` is null where there is none. */
export function splitAnnounced(text: string): { announced: Separator | null; body: string } {
  const found = ANNOUNCED.exec(text)
  return { announced: (found?.[1] as Separator | undefined) ?? null, body: text.slice(found?.[0].length ?? 0) }
}

/** Non-empty lines that are examined: up to ten of titles, and the heading. */
const MOST_LINES = 11

/**
 * Guesses the separator of a table. The separator that all lines of the table have equally often, outside quotation marks, wins, since
 * commas also occur in words and marks. Otherwise the one that the heading has most of. Lines of a title above the table may have other
 * separators or none: the most frequent one of a line counts where the next non-empty line has it too. Where no two lines agree, the first
 * line decides.
 */
export function separatorOf(text: string): Separator {
  const lines = countsOfLines(text)
  const steady = SEPARATORS.filter((sign) => isSteady(lines.map((line) => line[sign])))
  if (steady.length === 1 && steady[0]) return steady[0]
  const agreed = lines.find((line, at) => line[mostOf(line)] > 0 && (lines[at + 1]?.[mostOf(line)] ?? 0) > 0)
  return mostOf(agreed ?? lines[0] ?? NONE)
}

/**
 * Whether all counts are equal from the first line with more than one, ignoring a title above; the last line may have fewer, since it may
 * omit empty cells.
 */
function isSteady(counts: readonly number[]): boolean {
  const [first = 0, ...others] = counts.slice(counts.findIndex((count) => count > 1))
  const isLike = (count: number, at: number) => count === first || (at > 0 && at === others.length - 1 && count < first)
  return first > 1 && others.length > 0 && others.every(isLike)
}

const SEPARATORS = [',', ';', '\t'] as const satisfies readonly Separator[]
type Counts = Record<Separator, number>
const NONE: Counts = { ',': 0, ';': 0, '\t': 0 }

/** The number of each separator in the first non-empty lines. */
function countsOfLines(text: string): Counts[] {
  const lines: Counts[] = []
  let [counts, isFilled, isQuoted] = [{ ...NONE }, false, false]
  for (const letter of text) {
    if (letter === '"') isQuoted = !isQuoted
    if (!isQuoted && (letter === '\n' || letter === '\r')) {
      if (isFilled) lines.push(counts)
      if (lines.length === MOST_LINES) return lines
      counts = { ...NONE }
      isFilled = false
    } else if (!isQuoted && (letter === ',' || letter === ';' || letter === '\t')) counts[letter] += 1
    // Spreadsheets write a separator for each empty cell, so separators alone do not make a line non-empty.
    else if (letter !== ' ') isFilled = true
  }
  return isFilled ? [...lines, counts] : lines
}

function mostOf(counts: Counts): Separator {
  if (counts[';'] > counts[',']) return counts['\t'] > counts[';'] ? '\t' : ';'
  return counts['\t'] > counts[','] ? '\t' : ','
}

/** The 32 places in which Windows-1252 differs from Latin-1; Node's decoder leaves them as control characters. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/**
 * Decodes a file in UTF-8, UTF-16 with a byte-order mark, or else Windows-1252 (which Excel writes on older machines); removes the mark.
 * Throws a TypeError for invalid UTF-16.
 */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le', { fatal: true }).decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be', { fatal: true }).decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    const latin = new TextDecoder('windows-1252').decode(bytes)
    return latin.replace(/[\u0080-\u009f]/g, (letter) => WINDOWS_1252[letter.charCodeAt(0) - 0x80] ?? letter)
  }
}
