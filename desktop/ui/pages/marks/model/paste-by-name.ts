import { editDistance } from '@markbook/shared/domain/edit-distance'
import { foldedWords } from '@markbook/shared/domain/fold'
import { type MarkCode, readMarkText } from '@markbook/shared/domain/mark-codes'
import { type PastedCell, pastedCell, type planPaste } from './paste.ts'

export type PupilName = { first_name: string; last_name: string }
/**
 * The pupil of a row in a pasted table. `same`: exactly one pupil has these words as a name, in any order; `like`: the name of one pupil is
 * the most similar; `several`: two are equally similar; `nobody`: none is similar; `chosen`: the user chose. `row`: the pupil's index in
 * the sheet, null for a row that is left out.
 */
export type Match = { row: number | null; how: 'same' | 'like' | 'several' | 'nobody' | 'chosen' }
/** A pasted table with names. `rows`: the columns with marks; `headings`: their headings, null where the first row is a pupil. */
export type NamedBlock = { names: readonly string[]; rows: readonly (readonly string[])[]; headings: readonly string[] | null }

const LETTERS = /\p{L}{2}/u

/**
 * Reads a block as names and marks. A column of names has words, mostly different ones, in most rows; codes of the school do not count as
 * words. If some columns have names of pupils of the sheet, they are used, else the first two. Null where there is no such column: then the
 * block is placed by position, which a table with names never is.
 */
export function readNamedBlock(
  block: readonly (readonly string[])[],
  pupils: readonly PupilName[],
  codes: readonly MarkCode[],
): NamedBlock | null {
  const isCode = (text: string) => readMarkText(text, codes).code !== null
  const isWord = (text: string) => LETTERS.test(text) && !isCode(text)
  const rows = block.filter((cells) => cells.some(Boolean))
  const width = Math.max(0, ...rows.map((cells) => cells.length))
  const textOf = (column: number) => rows.map((cells) => cells[column] ?? '').filter(Boolean)
  const ofWords = Array.from({ length: width }, (_, at) => at).filter((column) => {
    const filled = textOf(column)
    const words = filled.filter(isWord)
    return words.length > filled.length / 2 && new Set(words).size > words.length / 2
  })
  if (ofWords.length === 0) return null
  const own = new Set(pupils.flatMap(({ first_name, last_name }) => wordsOf(`${first_name} ${last_name}`)))
  const isOfPupils = (column: number) => {
    const filled = textOf(column)
    return filled.filter((text) => wordsOf(text).some((word) => own.has(word))).length >= filled.length / 3
  }
  const ofPupils = ofWords.filter(isOfPupils)
  const ofNames = (ofPupils.length > 0 ? ofPupils : ofWords).slice(0, 2)
  const ofMarks = Array.from({ length: width }, (_, at) => at).filter(
    (column) => !ofNames.includes(column) && hasMarks(textOf(column), isCode),
  )
  const marksOf = (cells: readonly string[]) => ofMarks.map((column) => cells[column] ?? '')
  const [first = [], ...rest] = rows
  // A row of headings has no pupil's name, and words where other rows have marks.
  const isPupil = ofNames.some((column) => wordsOf(first[column] ?? '').some((word) => own.has(word)))
  const hasHeading = rest.length > 0 && !isPupil && marksOf(first).some(isWord) && !marksOf(first).some((text) => /^\d/.test(text))
  const body = hasHeading ? rest : rows
  return {
    names: body.map((cells) =>
      ofNames
        .map((column) => cells[column] ?? '')
        .join(' ')
        .trim(),
    ),
    rows: body.map(marksOf),
    headings: hasHeading ? marksOf(first) : null,
  }
}

/** Whether a column has marks, as opposed to row numbers. */
function hasMarks(filled: readonly string[], isCode: (text: string) => boolean): boolean {
  const numbers = filled.filter((text) => /^\d/.test(text))
  const isCount = numbers.length > 2 && numbers.every((text, at) => at === 0 || Number(text) === Number(numbers[at - 1]) + 1)
  return (numbers.length > 0 || filled.some(isCode)) && !isCount
}

/** The words of a name, sorted, since people write names in either order. */
const wordsOf = (name: string): string[] => foldedWords(name).sort()

/** The highest cost of differences between similar names; above it they are different names. */
const MOST_COST = 3

/** Finds the pupil of each name. No pupil is found twice, and exact names come first. */
export function matchNames(names: readonly string[], pupils: readonly PupilName[]): Match[] {
  const known = pupils.map(({ first_name, last_name }) => wordsOf(`${first_name} ${last_name}`))
  const typed = names.map(wordsOf)
  const taken = new Set<number>()
  const matches: (Match | null)[] = typed.map((words) => {
    const same = known.flatMap((own, row) => (own.join(' ') === words.join(' ') && words.length > 0 ? [row] : []))
    const [row] = same
    if (row === undefined) return null
    if (same.length > 1) return { row: null, how: 'several' }
    if (taken.has(row)) return null
    taken.add(row)
    return { row, how: 'same' }
  })
  // The most similar pairs first, so that a name gets the pupil that it resembles most.
  const near = typed.flatMap((words, at) =>
    matches[at] ? [] : known.flatMap((own, row) => (taken.has(row) ? [] : [{ at, row, cost: costOf(words, own) }])),
  )
  near.sort((a, b) => a.cost - b.cost)
  for (const { at, row, cost } of near) {
    if (matches[at] || taken.has(row) || cost > MOST_COST) continue
    const isRivalled = near.some(
      (other) => other.cost === cost && (other.at === at) !== (other.row === row) && !matches[other.at] && !taken.has(other.row),
    )
    if (isRivalled) {
      for (const other of near)
        if (other.cost === cost && other.row === row && !matches[other.at]) matches[other.at] = { row: null, how: 'several' }
      matches[at] = { row: null, how: 'several' }
      continue
    }
    taken.add(row)
    matches[at] = { row, how: 'like' }
  }
  return matches.map((match) => match ?? { row: null, how: 'nobody' })
}

/** The cost of the differences between two names: each word of the shorter one is compared with a similar word of the longer one. */
function costOf(a: readonly string[], b: readonly string[]): number {
  const [few, many] = a.length <= b.length ? [a, [...b]] : [b, [...a]]
  if (few.length === 0) return Number.POSITIVE_INFINITY
  let [cost, wholeWords] = [(many.length - few.length) / 2, 0]
  for (const word of few) {
    const costs = many.map((other) => wordCost(word, other))
    const least = Math.min(...costs)
    const [other = ''] = many.splice(costs.indexOf(least), 1)
    cost += least
    if (word.length > 1 && other.length > 1) wholeWords += 1
  }
  // Initials alone identify nobody.
  if (wholeWords === 0) return Number.POSITIVE_INFINITY
  // A single word, such as a family name, is enough only if it is spelled correctly.
  return few.length === 1 && cost >= 1 && many.length > 0 ? cost + 1 : cost
}

function wordCost(a: string, b: string): number {
  if (a === b) return 0
  if (a.length === 1 || b.length === 1) return a[0] === b[0] ? 0.5 : Number.POSITIVE_INFINITY
  const most = Math.min(a.length, b.length) >= 7 ? 2 : Math.min(a.length, b.length) >= 4 ? 1 : 0
  const apart = editDistance(a, b)
  return apart <= most ? apart : Number.POSITIVE_INFINITY
}

type Sheet = Parameters<typeof planPaste>[2] & { pupils: readonly PupilName[]; titles: readonly string[] }
export type NamedPlan = ReturnType<typeof planByName>

/**
 * Places a table with names: each row at its pupil, in any order. Marks go to the assessments that the headings name, else to the columns
 * from `from` on. `chosen`: the user's choice for rows, null to leave one out. `again`: rows whose pupil another row has too.
 */
export function planByName({ names, rows, headings }: NamedBlock, from: number, chosen: ReadonlyMap<number, number | null>, sheet: Sheet) {
  const matches = matchNames(names, sheet.pupils).map((match, at): Match => {
    const row = chosen.get(at)
    return row === undefined ? match : { row, how: 'chosen' }
  })
  const columns = columnsOf(headings ?? rows[0]?.map(() => '') ?? [], from, sheet.titles)
  const again = new Set(
    matches.flatMap(({ row }, at) => (row !== null && matches.some((other, where) => where !== at && other.row === row) ? [at] : [])),
  )
  const cells = rows.map((texts, at) => {
    const row = matches[at]?.row ?? null
    return texts.map((text, across): PastedCell | null => {
      const col = columns[across] ?? null
      if (row === null || col === null) return null
      return pastedCell(text, { row, col }, sheet)
    })
  })
  return { names, rows, matches, columns, again, cells }
}

/**
 * The target of each column: if any heading is the title of an assessment, the assessment of its own heading, else from `from` on. Null for
 * a column that is left out.
 */
function columnsOf(headings: readonly string[], from: number, titles: readonly string[]): (number | null)[] {
  const plain = (text: string) => wordsOf(text).join(' ')
  const named = headings.map((heading) => {
    const found = titles.flatMap((title, at) => (heading && plain(title) === plain(heading) ? [at] : []))
    return found.length === 1 ? (found[0] ?? null) : null
  })
  if (named.some((at) => at !== null)) return named.map((at, column) => (named.indexOf(at) === column ? at : null))
  return headings.map((_, at) => (from + at < titles.length ? from + at : null))
}
