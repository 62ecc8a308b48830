import { COMMONS } from '@markbook/shared/ids'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import type { Kept } from '@markbook/sync/merge/conflict'
import { type Settled, settleAdmins, settleMaximum } from '@markbook/sync/merge/settle'
import { canonical } from '@markbook/sync/merge/state'
import { EXISTENCE } from '@markbook/sync/versions'
import { and, eq, sql } from 'drizzle-orm'
import { rowsBy, statement } from '../statement.ts'
import { keepClaims, record, writeRows } from './application.ts'
import type { Application, Change } from './page.ts'
import { knownRows, rowsById, settledRows } from './states.ts'
import { syncRowOf } from './write.ts'

/** Rules that look at a whole table once its rows are written: maxima under marks, the last administrator, and where people are active. */
export async function applyTableRules(application: Application, kept: Kept[]): Promise<void> {
  const { changes } = application
  const assessments = new Set(changes.get('assessment')?.keys())
  const marked = [...(await markedAbove(application))].filter((id) => !assessments.has(id))
  const before = application.kept.length
  await settleMaxima(application, [...assessments, ...marked])
  if (changes.has('school_management')) {
    await settleMembers(application)
    await placeMembers(application)
  }
  kept.push(...application.kept.slice(before))
}

const maximaOf = rowsBy('assessment', { school: 'school_id', ids: { in: 'id' } }, { columns: ['id', 'max_score'] })
/** The highest mark of each assessment that has one. */
export const topsOf = statement<{ school: string; ids: string }>()(({ db, t: { grade }, p, dialect }) =>
  db
    .select({ id: grade.assessment_id, top: sql<number>`max(${grade.score})` })
    .from(grade)
    .where(and(eq(grade.school_id, p.school), dialect.inList(grade.assessment_id as never, p.ids)))
    .groupBy(grade.assessment_id),
)

/**
 * Assessments that a changed mark concerns: the mark is above the maximum, or the maximum does not stand as it was claimed. Any other
 * maximum was above all marks, and still is. A first copy is mostly marks, and hardly one of them is such.
 */
async function markedAbove({ tx, schoolId, changes }: Application): Promise<Set<string>> {
  const tops = new Map<string, number>()
  for (const { state } of changes.get('grade')?.values() ?? []) {
    const [id, score] = [state.values['assessment_id'] as string, Number(state.values['score'])]
    if (score > (tops.get(id) ?? Number.NEGATIVE_INFINITY)) tops.set(id, score)
  }
  if (tops.size === 0) return new Set()
  const maxima = await maximaOf(tx, { school: schoolId, ids: JSON.stringify([...tops.keys()]) })
  const settled = await settledRows(tx, schoolId, 'assessment')
  return new Set(maxima.flatMap(({ id, max_score }) => (settled.has(id) || Number(max_score) < (tops.get(id) as number) ? [id] : [])))
}

export async function settleMaxima(application: Application, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const { tx, schoolId } = application
  const tops = await topsOf(tx, { school: schoolId, ids: JSON.stringify(ids) })
  const topById = new Map(tops.map(({ id, top }) => [id, top]))
  for (const { change, row } of await currentStates(application, 'assessment', ids)) {
    if (!row) continue
    const settled = settleMaximum(change.state, topById.get(change.state.id) ?? null)
    await standAs(application, 'assessment', change, row, settled ? [settled] : [])
  }
}

/** Deleted memberships count too: two administrators may have removed each other, and one of them is put back. */
export async function settleMembers(application: Application): Promise<void> {
  const { tx, schoolId } = application
  const stored = await tx.dialect.rowIdsAfter(tx.connection, schoolId, MEMBERSHIP, COMMONS, Number.MAX_SAFE_INTEGER)
  // What this page brings is stored at its end.
  const ids = new Set([...stored, ...(application.changes.get(MEMBERSHIP)?.keys() ?? [])])
  const states = await currentStates(application, MEMBERSHIP, [...ids])
  const verdict = settleAdmins(states.map(({ change }) => change.state))
  for (const { change, row } of states) {
    const settled = verdict?.id === change.state.id ? verdict.settled : []
    const isThere = change.state.alive.length > 0 || settled.some(({ unit }) => unit === EXISTENCE)
    if (isThere) await standAs(application, MEMBERSHIP, change, row, settled)
    else if (row) {
      await tx.replica.erase(MEMBERSHIP, schoolId, [change.state.id])
      record(application, MEMBERSHIP, [syncRowOf(MEMBERSHIP, change, { isThere: false, source: change.source })])
    }
  }
}

const MEMBERSHIP = 'school_management'

/** Makes people active in this school who came to belong to it by a page, and are active nowhere on this node. */
async function placeMembers({ tx, schoolId, changes }: Application): Promise<void> {
  const { user_profile, school_management } = tx.t
  const users = [...(changes.get('school_management')?.values() ?? [])].map(({ state }) => state.values['user_id'])
  await tx.connection.db
    .update(user_profile)
    .set({ school_id: schoolId })
    .where(
      sql`${user_profile.school_id} is null and ${tx.dialect.inList(user_profile.id as never, JSON.stringify(users))}
        and exists (select 1 from ${school_management} where ${school_management.user_id} = ${user_profile.id}
          and ${school_management.school_id} = ${schoolId} and ${school_management.is_active})`,
    )
}

type Current = { change: Change; row: Readonly<Record<string, unknown>> | null }

/** Rows as this application leaves them, or as they are where it did not change them; `row`: null where it does not stand. */
async function currentStates({ tx, schoolId, changes }: Application, table: Replicated, ids: readonly string[]): Promise<Current[]> {
  const known = await knownRows(tx, table, schoolId, ids)
  const touched = changes.get(table) ?? new Map<string, Change>()
  const fresh = [...touched.values()].filter(({ state }) => !known.has(state.id) && ids.includes(state.id))
  const rows = new Map(
    (
      await rowsById(
        tx,
        table,
        schoolId,
        fresh.map(({ state }) => state.id),
      )
    ).map((row) => [row.id, row]),
  )
  return [
    ...[...known].map(([id, { state, row, source, ...rest }]): Current => {
      const untouched: Change = { known: { state, row, source, ...rest }, state, settled: [], source }
      return { change: touched.get(id) ?? untouched, row }
    }),
    ...fresh.map((change): Current => ({ change, row: rows.get(change.state.id) ?? null })),
  ]
}

/** Writes the row again where it does not show what stands. */
async function standAs(
  application: Application,
  table: Replicated,
  change: Change,
  row: Current['row'],
  settled: readonly Settled[],
): Promise<void> {
  const before = change.settled.filter(({ unit }) => !settled.some((each) => each.unit === unit))
  const shown: Record<string, unknown> = Object.assign({}, change.state.values, ...[...before, ...settled].map(({ stands }) => stands))
  const columns = Object.values(descriptions[table].units).flat()
  if (row && columns.every((column) => canonical(shown[column]) === canonical(row[column]))) return
  change.settled = [...before, ...settled]
  await writeRows(application, table, [change])
  keepClaims(application, table, change)
}
