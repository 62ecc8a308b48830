import { termInEnglish } from '@markbook/shared/domain/term-names'

/** Names that Windows reserves for devices, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/i
const BETWEEN = /\s*[/\\:|]+\s*/g
const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029*?"<>]+/gu
/** Bytes of UTF-8: file systems allow 255 with the extension, and a number may be inserted. */
const BYTES_MAX = 230

/** A descriptive file name that every system accepts; its parts are joined by dashes. */
export function fileName(parts: readonly string[], extension: string): string {
  const plain = parts
    .map((part) => part.normalize('NFC').replace(BETWEEN, '-').replace(FORBIDDEN, ' ').replace(/\s+/g, ' ').trim())
    .filter(Boolean)
    .join(' - ')
  const bare = shortened(plain).replace(/^[.\s-]+|[.\s]+$/g, '')
  return `${bare === '' || DEVICE.test(bare) ? `file ${bare}`.trim() : bare}.${extension}`
}

function shortened(name: string): string {
  const letters = [...name]
  while (Buffer.byteLength(letters.join('')) > BYTES_MAX) letters.pop()
  return letters.join('')
}

export type Titled = { class_name: string; year: string; term: string; type: 'term' | 'year_end' }
type Named = { name: string }
/** The names in the titles of a class's documents. */
export const titledOf = (of: { group: Named; year: Named; term: Named }, type: Titled['type']): Titled => {
  return { class_name: of.group.name, year: of.year.name, term: of.term.name, type }
}
export type Pupil = { first_name: string; last_name: string }

const periodOf = ({ year, term, type }: Titled): string[] => [type === 'year_end' ? `${year} year end` : `${year} ${termInEnglish(term)}`]

/** «Ó Briain, Élan - 3B - 2025-26 Michaelmas.pdf». */
export const cardName = ({ first_name, last_name }: Pupil, titled: Titled): string =>
  fileName([`${last_name}, ${first_name}`, titled.class_name, ...periodOf(titled)], 'pdf')

/** «3B - 2025-26 Michaelmas - summary.xlsx». */
export const classFileName = (what: string, titled: Titled, extension: string): string =>
  fileName([titled.class_name, ...periodOf(titled), what], extension)

/** Adds numbers to repeated names; ignores case, because some file systems do. */
export function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    let free = name
    for (let count = 2; taken.has(free.toLowerCase()); count += 1) free = name.replace(/(\.[^.]*)$/, ` (${count})$1`)
    taken.add(free.toLowerCase())
    return free
  })
}

/** The URL of the zip with the PDFs of a class and term. */
export const archiveUrl = (studentGroupId: string, termId: string, reportType: Titled['type']): string =>
  `/api/reports/archive?${new URLSearchParams({ studentGroupId, termId, reportType })}`
