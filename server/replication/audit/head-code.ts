import { and, asc, eq, gte, lt } from 'drizzle-orm'
import { grouped, toBase32 } from '../../store/encryption.ts'
import { statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

/** Bits of a head that are printed: nobody finds another history whose head begins with the same 80. */
const DIGITS = 20
const LETTERS = 16

/** The head of a history as people print and type it: 16 letters and digits of base 32, in groups of four. */
export const codeOfHead = (head: string): string => grouped(toBase32(Buffer.from(head.slice(0, DIGITS), 'hex')))

/** How a head begins in hex that was printed so; null for what is no such code. Small letters, and other or no signs between groups, will do. */
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

/** When and by which node the transaction was written whose head was printed so; null where this history has none. Every entry is looked at. */
export async function writtenWithHead(tx: ReadTx, school: string, prefix: string): Promise<{ at: string; node_id: string } | null> {
  // A letter after the last digit of hex.
  return (await withHead(tx, { school, from: prefix, below: `${prefix}g` }))[0] ?? null
}
