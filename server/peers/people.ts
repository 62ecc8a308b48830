import type { Carried } from '@markbook/sync/protocol/page'
import { type FeedPage, readPeople, withPeople } from '../store/replica/feed.ts'
import type { ReadTx } from '../store/tx.ts'
import type { Scope } from './scope.ts'

/** Ids of the people of the school whom the scope knows of. Who has only asked for a place is known where the requests are. */
export async function peopleIn(tx: ReadTx, school: string, { holds }: Scope): Promise<Set<string>> {
  return new Set(await tx.dialect.peopleOf(tx.line, school, { applicants: holds('school_join_request') }))
}

/** The rows after the people whom they name: those of them that the scope holds, for what a laptop does not get names nobody to it. */
export async function withNamed(tx: ReadTx, scope: Scope, rows: readonly Carried[]): Promise<Carried[]> {
  if (scope.secrets) return withPeople(tx, rows, scope)
  const held = rows.filter(({ table }) => scope.holds(table))
  const known = new Set(rows)
  const people = (await withPeople(tx, held, scope)).filter((row) => !known.has(row))
  return [...people, ...rows]
}

/** Changes to people whom the scope knows of, since `after` of the feed of people. */
export async function changedPeople(
  tx: ReadTx,
  school: string,
  scope: Scope,
  { after, limit }: { after: number; limit: number },
): Promise<FeedPage> {
  const { rows, ...page } = await readPeople(tx, school, { after, limit, secrets: scope.secrets })
  if (scope.secrets || rows.length === 0) return { rows, ...page }
  const people = await peopleIn(tx, school, scope)
  return { rows: rows.filter(({ state }) => people.has(state.id)), ...page }
}
