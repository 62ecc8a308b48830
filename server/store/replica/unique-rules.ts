import type { Replicated } from '@markbook/shared/tables/tables'
import { type Settled, settleRequests, settleTerms, settleUniqueClaims } from '@markbook/sync/merge/settle'
import type { RowState } from '@markbook/sync/merge/state'
import { inArray } from 'drizzle-orm'
import type { ReadTx, WriteTx } from '../tx.ts'
import type { AnyRow } from './links.ts'
import { columnsIn, knownRows, rowsWhere, settledRows, tableIn } from './states.ts'

type Values = Readonly<Record<string, unknown>>
/**
 * A unique rule among rows with ids of their own. `group`: the value that may be claimed once, null for none. `text`: the column by which
 * one row is in another's way, and that can hold any text for the moment. `lookUp`: the table is large, so only rows with equal claims are
 * read.
 */
type Rule = {
  group: (values: Values) => string | null
  settle: (claimants: readonly RowState[]) => Map<string, Settled>
  text?: string
  lookUp?: boolean
}

const orNull = (value: unknown) => (value === null || value === undefined ? null : String(value))

const rules: Partial<Record<Replicated, Rule>> = {
  subject: {
    group: ({ code }) => orNull(code),
    settle: (claimants) => settleUniqueClaims('code', claimants, { nullable: false }),
    text: 'code',
  },
  student_group: {
    group: ({ academic_year_id, name }) => `${academic_year_id} ${name}`,
    settle: (claimants) => settleUniqueClaims('name', claimants, { nullable: false }),
    text: 'name',
  },
  student: {
    group: ({ student_number }) => orNull(student_number),
    settle: (claimants) => settleUniqueClaims('student_number', claimants, { nullable: true }),
    text: 'student_number',
    lookUp: true,
  },
  term: { group: ({ academic_year_id }) => orNull(academic_year_id), settle: settleTerms, text: 'name' },
  school_join_request: { group: ({ user_id, status }) => (status === 'pending' ? String(user_id) : null), settle: settleRequests },
}
export const ruledTables = Object.keys(rules) as Replicated[]

/** Whether rows of the table may be in each other's way by what they claim. */
export const hasUniqueRule = (table: Replicated): boolean => rules[table] !== undefined

/** `settled`, by row: what stands instead of its claim; empty where the claim stands. `concerned`: every row that the changes concern. */
export type UniqueOutcome = { settled: Map<string, readonly Settled[]>; concerned: Map<string, RowState> }

/**
 * Settles the unique rules of one table around some changed states. `before`: the states before, whose claims may have become free.
 * `staying`: ids of changed rows that stay though deleted. `concerned` also has unchanged rows for which something else stands now.
 */
export async function settleUniqueRules(
  tx: ReadTx,
  table: Replicated,
  schoolId: string,
  changed: readonly RowState[],
  before: readonly RowState[],
  staying: ReadonlySet<string> = new Set(),
): Promise<UniqueOutcome> {
  const rule = rules[table]
  const nothing: UniqueOutcome = { settled: new Map(), concerned: new Map() }
  if (!rule) return nothing
  const groups = new Set([...changed, ...before].flatMap(({ values }) => rule.group(values) ?? []))
  if (groups.size === 0) return nothing
  const states = new Map((await standingStates(tx, table, schoolId, rule, groups)).map((state) => [state.id, state]))
  for (const state of changed) {
    if (state.alive.length > 0 || staying.has(state.id)) states.set(state.id, state)
    else states.delete(state.id)
  }
  const byGroup = new Map<string, RowState[]>()
  for (const state of states.values()) {
    const group = rule.group(state.values)
    if (group === null || !groups.has(group)) continue
    byGroup.set(group, [...(byGroup.get(group) ?? []), state])
  }
  const { settled, concerned } = nothing
  for (const claimants of byGroup.values()) {
    const losing = rule.settle(claimants)
    for (const state of claimants) {
      concerned.set(state.id, state)
      const own = losing.get(state.id)
      settled.set(state.id, own ? [own] : [])
    }
  }
  return { settled, concerned }
}

async function standingStates(
  tx: ReadTx,
  table: Replicated,
  schoolId: string,
  rule: Rule,
  groups: ReadonlySet<string>,
): Promise<RowState[]> {
  const column = rule.lookUp && rule.text ? columnsIn(tx, table)[rule.text] : undefined
  const rows = await rowsWhere(tx, table, schoolId, column && inArray(column, [...groups]))
  const adjusted = column ? await settledRows(tx, schoolId, table) : []
  const known = await knownRows(tx, table, schoolId, [...new Set([...rows.map(({ id }) => id), ...adjusted])])
  return [...known.values()].flatMap(({ state, row }) => (row ? [state] : []))
}

/** Gives rows that are about to go, or to exchange their unique texts, a text that nobody has: another row of the page may get theirs. */
export async function freeUniqueTexts(tx: WriteTx, table: Replicated, schoolId: string, ids: readonly string[]): Promise<void> {
  const column = rules[table]?.text
  if (column && ids.length > 0) await tx.dialect.parkRows(tx.connection, tableIn(tx, table), column, schoolId, ids)
}

/** Ids of rows whose unique text changes, and may pass from one to another. */
export function movingIn(table: Replicated, rows: readonly AnyRow[], there: ReadonlyMap<string, AnyRow>): string[] {
  const column = rules[table]?.text
  if (!column) return []
  const moving = rows.filter((row) => {
    const old = there.get(row.id)
    return old && old[column] !== row[column]
  })
  return moving.map(({ id }) => id)
}
