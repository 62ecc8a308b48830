import { isKnownTerm, TERM_NAMES } from '@markbook/shared/domain/term-names'
import { byText, compareStamps, type Stamp } from '../versions.ts'
import { canonical, pick, type RowState, type Values } from './state.ts'

/**
 * Rules between rows. Each is a function of the states alone, whatever node computes it and in whatever order they came. What stands in a
 * row may differ from what was claimed; the claim is kept beside it (`Extra`) and as a conflict.
 */

/** What stands instead of the claim of a unit, and why. */
export type Settled = { unit: string; stands: Values; reason: Reason }
type Reason = 'sent' | 'taken' | 'score_above_maximum' | 'last_admin'

/**
 * Rows that claim a value of a column, and of its unit, which only one may have: the smallest id has it, which is the oldest where ids are made by time. Rows that are
 * deleted and stay come after those that live. Returns what stands in the others: null where `nullable`, else the claim with a suffix, so
 * that nobody else can have it (`marked`).
 */
export function settleUniqueClaims(
  column: string,
  claimants: readonly RowState[],
  { nullable }: { nullable: boolean },
): Map<string, Settled> {
  const [, ...losers] = [...claimants].sort(byRank)
  return new Map(
    losers.map((state) => {
      const stands = nullable ? null : marked(String(state.values[column]), state.id)
      return [state.id, { unit: column, stands: { [column]: stands }, reason: 'taken' }]
    }),
  )
}

const byRank = (a: RowState, b: RowState) => Number(a.alive.length === 0) - Number(b.alive.length === 0) || byText(a.id, b.id)

/** `3B` of a second class becomes `3B~9f2c`, which shows that something is to be decided. */
export const marked = (text: string, id: string): string => `${[...text].slice(0, 15).join('')}~${id.replaceAll('-', '').slice(-4)}`

type Frozen = {
  snapshot: unknown
  class_teacher_remark: unknown
  conduct: unknown
  attendance_percentage: unknown
  student_group_id: unknown
}
type FrozenEntry = { subject_id: string; manual_letter: unknown; teacher_remark: unknown }
/** What a sent book holds, of the columns that teachers write. */
export type Freeze = Frozen & { entries: readonly FrozenEntry[] }

export const freezeOf = ({ values }: RowState): Freeze | null =>
  values['status'] === 'sent_to_ministry' ? ((values['sent_snapshot'] as { frozen?: Freeze } | null)?.frozen ?? null) : null

const BOOK_UNITS = {
  snapshot: ['snapshot'],
  class_teacher_remark: ['class_teacher_remark'],
  conduct: ['conduct'],
  attendance_percentage: ['attendance_percentage'],
  student_group_id: ['student_group_id'],
} as const
const ENTRY_UNITS = { letter: ['manual_letter'], teacher_remark: ['teacher_remark'] } as const

/** What a book and its entries say in the columns that teachers write: frozen when it is sent, and read by whoever approves it. */
export const contentOf = (book: Values, entries: readonly Values[]): Freeze => ({
  ...(pick(book, Object.values(BOOK_UNITS).flat()) as Frozen),
  entries: entries.map((entry) => pick(entry, ['subject_id', ...Object.values(ENTRY_UNITS).flat()]) as FrozenEntry),
})

const differing = (claims: Values, stands: Values, units: Readonly<Record<string, readonly string[]>>): Settled[] =>
  Object.entries(units).flatMap(([unit, columns]) => {
    const frozen = Object.fromEntries(columns.map((column) => [column, stands[column] ?? null]))
    const claimed = Object.fromEntries(columns.map((column) => [column, claims[column] ?? null]))
    return canonical(frozen) === canonical(claimed) ? [] : [{ unit, stands: frozen, reason: 'sent' as const }]
  })

/** A sent book shows what was sent. What was written without having seen that is kept as a conflict, and never applied. */
export const settleBook = (book: RowState): Settled[] => {
  const freeze = freezeOf(book)
  return freeze ? differing(book.values, freeze, BOOK_UNITS) : []
}

/** An entry of a sent book; null where the book was sent without it. */
export function settleEntry(entry: RowState, freeze: Freeze): Settled[] | null {
  const own = freeze.entries.find(({ subject_id }) => subject_id === entry.values['subject_id'])
  return own ? differing(entry.values, own, ENTRY_UNITS) : null
}

/**
 * A maximum that was lowered below a score which the write had not seen: the marks stand, and the assessment keeps the highest maximum that
 * it ever had until a person decides. `topScore`: the highest score that is recorded, null for none. Null where the claim stands.
 */
export function settleMaximum(assessment: RowState, topScore: number | null): Settled | null {
  const claimed = Number(assessment.values['max_score'])
  if (topScore === null || topScore <= claimed) return null
  const highest = assessment.units['scoring']?.[4] ?? claimed
  const { weight, assessment_type, category_id = null } = assessment.values
  return {
    unit: 'scoring',
    stands: { max_score: Math.max(highest, topScore), weight, assessment_type, category_id },
    reason: 'score_above_maximum',
  }
}

/**
 * Where the last administrators took the right from each other, whoever lost it last keeps it. `members`: every membership of the school,
 * also the deleted ones. Returns the membership's id and what stands; null where an administrator is left or there never was one. For a
 * deleted membership the unit `row` is among the settled: it exists again.
 */
export function settleAdmins(members: readonly RowState[]): { id: string; settled: Settled[] } | null {
  if (members.some((member) => denials(member).length === 0)) return null
  const lost = members.filter(({ units }) => units['role']?.[4] === 1)
  const [last] = lost.sort((a, b) => compareStamps(lostBy(b), lostBy(a)) || byText(a.id, b.id))
  if (!last) return null
  const stands: Record<Denial, Values> = { row: {}, role: { role: 'admin' }, is_active: { is_active: true } }
  return { id: last.id, settled: denials(last).map((unit) => ({ unit, stands: stands[unit], reason: 'last_admin' })) }
}

type Denial = 'row' | 'role' | 'is_active'

/** The units by which a membership is not that of an administrator. */
const denials = ({ values, alive }: RowState): Denial[] => [
  ...(alive.length === 0 ? ['row' as const] : []),
  ...(values['role'] === 'admin' ? [] : ['role' as const]),
  ...(values['is_active'] ? [] : ['is_active' as const]),
]

const lostBy = (member: RowState): Stamp =>
  denials(member)
    .map((unit) => member.units[unit] as Stamp)
    .reduce((latest, each) => (compareStamps(each, latest) > 0 ? each : latest))

/** The values that stand in the row: the claims, except where a rule settled something else. */
export const standing = ({ values }: RowState, settled: readonly Settled[]): Values =>
  settled.length === 0 ? values : Object.assign({}, values, ...settled.map(({ stands }) => stands))

/**
 * The terms of one year, where each name stands once. A term that loses one of the three known names to a smaller id gets another that
 * nobody claims; with none left, and for a school's own word, it gets the name with a suffix.
 */
export function settleTerms(terms: readonly RowState[]): Map<string, Settled> {
  const taken = new Set<unknown>()
  const losers: RowState[] = []
  for (const state of [...terms].sort(byRank)) {
    if (taken.has(state.values['name'])) losers.push(state)
    else taken.add(state.values['name'])
  }
  const settled = new Map<string, Settled>()
  for (const state of losers) {
    const claimed = String(state.values['name'])
    const names = [...(isKnownTerm(claimed) ? TERM_NAMES : []), marked(claimed, state.id)]
    const free = names.find((name) => !taken.has(name)) ?? `${[...claimed].slice(0, 7).join('')}~${state.id.replaceAll('-', '')}`
    taken.add(free)
    settled.set(state.id, { unit: 'name', stands: { name: free }, reason: 'taken' })
  }
  return settled
}

/** Pending requests of one person to one school: the oldest id waits, the others count as rejected by nobody. */
export function settleRequests(pending: readonly RowState[]): Map<string, Settled> {
  const [, ...others] = [...pending].sort((a, b) => byText(a.id, b.id))
  const stands = { status: 'rejected', reviewed_at: null, reviewed_by: null }
  return new Map(others.map(({ id }) => [id, { unit: 'status', stands, reason: 'taken' }]))
}
