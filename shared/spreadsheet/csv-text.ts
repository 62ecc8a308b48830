export type Separator = ',' | ';' | '\t'

/** Spaces and what nobody sees before it, and letters of full width, do not keep every spreadsheet from running a formula. */
const FORMULA = '(?:[\\t\\r]|[\\s\\p{Cf}]*[=+\\-@＝＋－＠])'
/** A spreadsheet runs a text cell that begins so as a formula; an apostrophe in front keeps it text. */
export const NEEDS_APOSTROPHE = new RegExp(`^'*${FORMULA}`, 'u')
/** A cell whose first apostrophe was put there for that: whoever reads it takes it off. */
export const HAS_APOSTROPHE = new RegExp(`^'+${FORMULA}`, 'u')

/** Excel announces the separator in a line of its own, which it does not count as a row. */
const ANNOUNCED = /^sep=([,;\t])(?:\r\n|\n|\r)/i

/** Takes off the line that announces the separator; null where there is none. */
export function splitAnnounced(text: string): { announced: Separator | null; body: string } {
  const found = ANNOUNCED.exec(text)
  return { announced: (found?.[1] as Separator | undefined) ?? null, body: text.slice(found?.[0].length ?? 0) }
}

/** Filled lines that are looked at: ten with a title, a school, a day, and the heading. */
const MOST_LINES = 11

/**
 * The separator that the lines of the table have equally often, outside quotation marks: a comma also stands within words and marks. Else that which
 * the heading has most of. A title above it may have another one, or none: what a line has most of is the separator where the next filled line
 * has it too. Where no two lines agree, the first line says it.
 */
export function separatorOf(text: string): Separator {
  const lines = countsOfLines(text)
  const steady = SEPARATORS.filter((sign) => isSteady(lines.map((line) => line[sign])))
  if (steady.length === 1 && steady[0]) return steady[0]
  const agreed = lines.find((line, at) => line[mostOf(line)] > 0 && (lines[at + 1]?.[mostOf(line)] ?? 0) > 0)
  return mostOf(agreed ?? lines[0] ?? NONE)
}

/** Equal from the first that is more than one, below a title; the last line may lack the separators of its empty cells. */
function isSteady(counts: readonly number[]): boolean {
  const [first = 0, ...others] = counts.slice(counts.findIndex((count) => count > 1))
  const isLike = (count: number, at: number) => count === first || (at > 0 && at === others.length - 1 && count < first)
  return first > 1 && others.length > 0 && others.every(isLike)
}

const SEPARATORS = [',', ';', '\t'] as const satisfies readonly Separator[]
type Counts = Record<Separator, number>
const NONE: Counts = { ',': 0, ';': 0, '\t': 0 }

/** How many of each separator the first filled lines have. */
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
    // Spreadsheets write a separator for each empty cell.
    else if (letter !== ' ') isFilled = true
  }
  return isFilled ? [...lines, counts] : lines
}

function mostOf(counts: Counts): Separator {
  if (counts[';'] > counts[',']) return counts['\t'] > counts[';'] ? '\t' : ';'
  return counts['\t'] > counts[','] ? '\t' : ','
}

/** Windows-1252 differs from Latin-1 in these 32 places only; the decoder of Node leaves them as control characters. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/**
 * Text of a file in UTF-8, UTF-16 with its byte-order mark, or else Windows-1252 (what Excel writes on an older machine), without the mark.
 * Throws a TypeError for UTF-16 that is damaged.
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
