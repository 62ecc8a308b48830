/** The width of text for the terminal. */
export const WIDTH = 80

/** Rows as lines in columns. A column is as wide as its content, up to the width in `most`. */
export function table(rows: readonly (readonly string[])[], most: readonly number[]): string[] {
  const widths = most.map((width, at) => Math.max(0, ...rows.flatMap((cells) => wrap(cells[at] ?? '', width).map(lengthOf))))
  return rows.flatMap((cells) => columns(cells, widths))
}

/** A row in columns of these widths, two spaces apart. A longer cell continues in the next line. */
export function columns(cells: readonly string[], widths: readonly number[]): string[] {
  const wrapped = cells.map((cell, at) => wrap(cell, widths[at] ?? WIDTH))
  return Array.from({ length: Math.max(...wrapped.map((lines) => lines.length)) }, (_, line) =>
    wrapped
      .map((lines, at) => padded(lines[line] ?? '', widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

export const INDENT = '  '

/** Facts as lines, each with its name on the left; indented, and at most `most` wide. */
export function factLines(facts: readonly (readonly [name: string, text: string])[], most = WIDTH): string[] {
  const width = Math.max(0, ...facts.map(([name]) => name.length))
  return table(facts, [width, most - INDENT.length - width - 2]).map((line) => INDENT + line)
}

/** A text in lines of at most `width` characters, broken between words; a longer word is broken too. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const piece of harmless(text)
    .split(/\s+/)
    .flatMap((word) => piecesOf(word, width))) {
    const last = lines.at(-1)
    if (last !== undefined && lengthOf(last) + 1 + lengthOf(piece) <= width) lines[lines.length - 1] = `${last} ${piece}`
    else lines.push(piece)
  }
  return lines
}

/** The first `most` characters of a text, in one line. */
export function shortened(text: string, most: number): string {
  const letters = [...harmless(text).replaceAll(/\s+/g, ' ')]
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : letters.join('')
}

/** Removes control characters and characters that change the direction: text from other computers must not control the terminal. */
export const harmless = (text: string) => text.replaceAll(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')

const lengthOf = (text: string) => [...text].length
const padded = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - lengthOf(text)))

function piecesOf(word: string, width: number): string[] {
  const letters = [...word]
  return Array.from({ length: Math.ceil(letters.length / width) }, (_, at) => letters.slice(at * width, (at + 1) * width).join(''))
}
