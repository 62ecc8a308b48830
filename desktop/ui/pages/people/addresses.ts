import { fold } from '@markbook/shared/domain/fold'

/**
 * Who is to be invited, as typed or pasted from a list: addresses, with or without names around them; what is none; and the heading above the
 * columns of a list, null where there is none.
 */
export type TypedAddresses = { addresses: string[]; wrong: string[]; heading: string | null }

const ADDRESS = /[^\s<>()[\]\\,;:"@]+@[^\s<>()[\]\\,;:"@]+\.[^\s<>()[\]\\,;:"@]+/gu
const BETWEEN_CELLS = /[\t,;]/

/** What lists have above the column of addresses, in the languages of the app. */
const HEADINGS = [
  'email, email address, e-mail address, mail, mail address, address, contact',
  'courriel, mél, adresse, adresse électronique, adresse e-mail, adresse mail, adresse courriel, adresse de courriel, courrier électronique',
  'البريد, بريد, البريد الإلكتروني, بريد إلكتروني, الإيميل, إيميل, ايميل, العنوان, عنوان البريد, عنوان البريد الإلكتروني',
]

/** Ignores case, accents, spaces and signs. */
const keyOf = (cell: string): string => fold(cell).replace(/[^\p{L}]+/gu, '')
const known = new Set(HEADINGS.flatMap((names) => names.split(', ').map(keyOf)))

const cellsOf = (line: string): string[] =>
  line
    .split(BETWEEN_CELLS)
    .map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'))
    .filter((cell) => cell !== '')

/** Every address of every line counts, once, whatever its case; a line without one is wrong, but for a heading above them all. */
export function typedAddresses(text: string): TypedAddresses {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const [first = []] = lines.slice(0, 1).map(cellsOf)
  const isHeading = first.some((cell) => known.has(keyOf(cell))) && !first.some((cell) => cell.match(ADDRESS))
  const addresses = new Set<string>()
  const wrong: string[] = []
  for (const line of isHeading ? lines.slice(1) : lines) {
    const found = line.match(ADDRESS) ?? []
    for (const address of found) addresses.add(address.toLowerCase())
    if (found.length === 0) wrong.push(line)
    // Beside an address other cells are names and roles, but what looks like an address is meant to be one.
    else wrong.push(...cellsOf(line).filter((cell) => cell.includes('@') && !cell.match(ADDRESS)))
  }
  return { addresses: [...addresses], wrong, heading: isHeading ? first.join(', ') : null }
}
