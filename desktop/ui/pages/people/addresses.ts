import { fold } from '@markbook/shared/domain/fold'

/**
 * The people to invite, as typed or pasted: `addresses`, with or without names around them; `names`: of those written as `Name <address>`,
 * by address; `wrong`: entries without an address; `heading`: that of the column in a list, null without one.
 */
export type TypedAddresses = { addresses: string[]; names: Map<string, string>; wrong: string[]; heading: string | null }

const ADDRESS = /[^\s<>()[\]\\,;:"@]+@[^\s<>()[\]\\,;:"@]+\.[^\s<>()[\]\\,;:"@]+/gu
const BETWEEN_CELLS = /[\t,;]/

/** Headings of a column of addresses, in the languages of the app. */
const HEADINGS = [
  'email, email address, e-mail address, mail, mail address, address, contact',
  'courriel, mél, adresse, adresse électronique, adresse e-mail, adresse mail, adresse courriel, adresse de courriel, courrier électronique',
  'البريد, بريد, البريد الإلكتروني, بريد إلكتروني, الإيميل, إيميل, ايميل, العنوان, عنوان البريد, عنوان البريد الإلكتروني',
]

/** The names of a line as mail programs write them. A comma belongs to the name only between quotes, or where one person is in the line. */
function namesIn(line: string, found: readonly string[]): [address: string, name: string][] {
  return found.flatMap((address) => {
    const before = line.slice(0, line.indexOf(address))
    if (!/<\s*$/.test(before)) return []
    const text = before.replace(/\s*<\s*$/, '')
    const [, quoted] = /"([^"]*)"$/.exec(text) ?? []
    const name = quoted ?? (found.length === 1 ? text : (text.split(/[\t,;>]/).at(-1) ?? ''))
    return name.trim() === '' ? [] : [[address.toLowerCase(), name.trim()] as [string, string]]
  })
}

/** A cell without case, accents, spaces and signs. */
const keyOf = (cell: string): string => fold(cell).replace(/[^\p{L}]+/gu, '')
const known = new Set(HEADINGS.flatMap((names) => names.split(', ').map(keyOf)))

const cellsOf = (line: string): string[] =>
  line
    .split(BETWEEN_CELLS)
    .map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'))
    .filter((cell) => cell !== '')

/** Every address of every line, each once, whatever its case. A line without an address is wrong, except a heading above all of them. */
export function typedAddresses(text: string): TypedAddresses {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const [first = []] = lines.slice(0, 1).map(cellsOf)
  const isHeading = first.some((cell) => known.has(keyOf(cell))) && !first.some((cell) => cell.match(ADDRESS))
  const addresses = new Set<string>()
  const names = new Map<string, string>()
  const wrong: string[] = []
  for (const line of isHeading ? lines.slice(1) : lines) {
    const found = line.match(ADDRESS) ?? []
    for (const address of found) addresses.add(address.toLowerCase())
    for (const [address, name] of namesIn(line, found)) if (!names.has(address)) names.set(address, name)
    if (found.length === 0) wrong.push(line)
    // Beside an address other cells are names and roles; one with an @ was meant to be an address.
    else wrong.push(...cellsOf(line).filter((cell) => cell.includes('@') && !cell.match(ADDRESS)))
  }
  return { addresses: [...addresses], names, wrong, heading: isHeading ? first.join(', ') : null }
}
