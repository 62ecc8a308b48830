import { and, asc, eq, gte, lt } from 'drizzle-orm'
import { grouped, toBase32 } from '../../store/encryption.ts'
import { statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

/** How many hex digits of a head are printed: nobody finds another history whose head begins with the same 80 bits. */
const DIGITS = 20
const LETTERS = 16

/** The head of a history as people print and type it: 16 letters and digits of base 32, in groups of four. */
export const codeOfHead = (head: string): string => grouped(toBase32(Buffer.from(head.slice(0, DIGITS), 'hex')))

/**
 * The beginning of a head in hex, from its printed code; null where it is no such code. Small letters are accepted, and other signs or none
 * between groups.
 */
export function headOfCode(typed: string): string | null {
  const letters = typed
    .toUpperCase()
    .replace(/[\s\-–—.]/g, '')
    .replaceAll('0', 'O')
    .replaceAll('1', 'I')
    .replaceAll('8', 'B')
  if (letters.length !== LETTERS || !/^[A-Z2-7]+$/.test(letters)) return null
  const bits = [...letters].map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return (bits.match(/.{4}/g) ?? []).map((four) => Number.parseInt(four, 2).toString(16)).join('')
}

/** The present head of what this node wrote in a school, as documents print it; null before it wrote anything. */
export async function codeOfHistory(tx: ReadTx, school: string): Promise<string | null> {
  const { head } = await tx.dialect.feedOf(tx.connection, school)
  return head === '' ? null : codeOfHead(head)
}

const withHead = statement<{ school: string; from: string; below: string }>()(({ db, t: { history }, p }) =>
  db
    .select({ at: history.at, node_id: history.node_id })
    .from(history)
    .where(and(eq(history.school_id, p.school), gte(history.head, p.from), lt(history.head, p.below)))
    .orderBy(asc(history.at))
    .limit(1),
)

/** When and by which node the transaction with this printed head was written; null where this history has none. Reads every entry. */
export async function writtenWithHead(tx: ReadTx, school: string, prefix: string): Promise<{ at: string; node_id: string } | null> {
  // `g` comes after the last hex digit.
  return (await withHead(tx, { school, from: prefix, below: `${prefix}g` }))[0] ?? null
}
