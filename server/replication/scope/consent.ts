import { COMMONS, isId, naturalId } from '@markbook/shared/ids'
import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import type { RowState } from '@markbook/sync/merge/state'
import type { RowAnswer } from '@markbook/sync/protocol/messages'
import type { Carried } from '@markbook/sync/protocol/page'
import { and, eq, inArray, isNotNull, isNull, ne } from 'drizzle-orm'
import { incarnations } from '../../store/node.ts'
import { sendAgain } from '../../store/replica/application.ts'
import { keyOf } from '../../store/replica/links.ts'
import { knownRows, rowsNaming } from '../../store/replica/states.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { announceSecrets, isElsewhere } from './people.ts'

/** The code of a refusal: the write would give a person a place in a school to which they have not agreed here. */
export const AWAITS_PERSON = 'awaits_person'

/** For each table whose rows give a person a place in a school: the column that names the person. */
const PLACES: Partial<Record<Replicated, string>> = {
  school_management: 'user_id',
  school_join_request: 'user_id',
  teacher_group_assignment: 'user_profile_id',
  teacher_subject_assignment: 'user_profile_id',
  class_teacher: 'user_profile_id',
  teaching_set_teacher: 'user_profile_id',
}

/** The person whose profile or means of sign-in a row is, or to whom it gives a place in a school; null for any other row. */
export function personIn(table: Replicated, { id, values }: Pick<RowState, 'id' | 'values'>): string | null {
  if (table === 'user_profile') return id
  const column = descriptions[table].sealed ? 'user_id' : PLACES[table]
  const user = column && values[column]
  return typeof user === 'string' && isId(user) ? user : null
}

/**
 * Whether a school's server may give this person a place only with their consent: their account is known here from elsewhere, and they
 * neither have a place in the school nor asked for one (docs/decisions/0051).
 */
export async function mustAccept(tx: ReadTx, school: string, user: string): Promise<boolean> {
  const account = (await knownRows(tx, 'user_profile', COMMONS, [user])).get(user)
  if (!account?.row) return false
  for (const table of ['school_management', 'school_join_request'] as const)
    if ((await rowsNaming(tx, table, school, 'user_id', [user])).length > 0) return false
  if (await isElsewhere(tx, school, user)) return true
  const writers = account.state.alive.map(([node]) => node)
  const own = new Set(await incarnations(tx))
  return writers.some((node) => own.has(node)) || (await areOfOthers(tx, school, writers))
}

async function areOfOthers({ db, t: { sync_peer } }: ReadTx, school: string, nodes: readonly string[]): Promise<boolean> {
  const ofOthers = and(inArray(sync_peer.node_id, [...nodes]), eq(sync_peer.side, 'child'), ne(sync_peer.school_id, school))
  return nodes.length > 0 && (await db.$count(sync_peer, ofOthers)) > 0
}

/** Whether the school made this person an administrator, by somebody who might, and the person has not agreed here yet. */
export async function isAdminAwaited({ db, t: { sync_refused: of } }: ReadTx, school: string, user: string): Promise<boolean> {
  const place = and(eq(of.school_id, school), eq(of.row_id, naturalId('membership', user, school)), eq(of.unit, 'role'))
  const rows: { value: Row<'sync_refused'>['value'] }[] = await db
    .select({ value: of.value })
    .from(of)
    .where(and(place, eq(of.code, AWAITS_PERSON), isNotNull(of.peer_id)))
  return rows.some(({ value }) => value?.['role'] === 'admin')
}

/**
 * Those of `users` to whom the school's own server gave a place and who have not agreed here. The school is told no name of them, though
 * its rows and their history may name them as writers.
 */
export async function peopleAwaited(tx: ReadTx, school: string, users: readonly string[]): Promise<Set<string>> {
  const { sync_refused: of } = tx.t
  const entries: Pick<Row<'sync_refused'>, 'table_name' | 'row_id' | 'actor_id'>[] = await tx.db
    .select({ table_name: of.table_name, row_id: of.row_id, actor_id: of.actor_id })
    .from(of)
    .where(and(eq(of.school_id, school), eq(of.code, AWAITS_PERSON), isNotNull(of.peer_id)))
  if (entries.length === 0) return new Set()
  const places = new Set(entries.map(({ row_id }) => row_id))
  const asking = new Set(entries.flatMap(({ table_name, actor_id }) => (table_name === 'school_join_request' ? [actor_id] : [])))
  const placeOf = (user: string) => naturalId('membership', user, school)
  const listed = users.filter((user) => places.has(placeOf(user)) || asking.has(user))
  // The school knows its former members already.
  const members = await knownRows(tx, 'school_management', school, listed.map(placeOf))
  const applicants = new Set((await rowsNaming(tx, 'school_join_request', school, 'user_id', listed)).map((row) => row['user_id']))
  return new Set(listed.filter((user) => !members.has(placeOf(user)) && !applicants.has(user)))
}

export const awaitsPerson = ({ code }: RowAnswer) => code === AWAITS_PERSON

type Entry = Pick<Row<'sync_refused'>, 'id' | 'table_name' | 'row_id'>

/** The listed writes of this node that wait at its parent for a person. */
async function awaiting({ db, t: { sync_refused: of } }: ReadTx, school: string): Promise<Entry[]> {
  return db
    .select({ id: of.id, table_name: of.table_name, row_id: of.row_id })
    .from(of)
    .where(and(eq(of.school_id, school), eq(of.code, AWAITS_PERSON), isNull(of.peer_id)))
}

/**
 * Keys (`table:id`) of the rows of this node that its parent takes only once a person agrees. Neither end counts them when both are
 * compared.
 */
export async function awaitingRows(tx: ReadTx, school: string): Promise<Set<string>> {
  return new Set((await awaiting(tx, school)).map(({ table_name: table, row_id: id }) => keyOf({ table, id })))
}

/** A membership to which the person has agreed, and who gave it. */
export type AgreedMembership = { place: Row<'school_management'>; by: string | null }

/**
 * Sends rows again whose person has agreed: the parent brought (`came`) a join request or membership of somebody for whom rows wait there.
 * Returns the memberships among the rows.
 */
export async function sendAgreedRows(tx: WriteTx, school: string, came: readonly Carried[]): Promise<AgreedMembership[]> {
  const acts = came.filter(({ table, state }) => isAct(table) && state.alive.length > 0)
  if (acts.length === 0) return []
  const agreed = new Set(acts.map(({ table, state }) => personIn(table, state)))
  const again: Carried[] = []
  const places: AgreedMembership[] = []
  for (const { id, table_name, row_id } of await awaiting(tx, school)) {
    const table = table_name as Replicated
    const known = (await knownRows(tx, table, school, [row_id])).get(row_id)
    if (known && !agreed.has(personIn(table, known.state))) continue
    await tx.local.delete(tx.t.sync_refused).where(eq(tx.t.sync_refused.id, id))
    // A rule between rows lets something else stand than was written: the next comparison sends the row.
    if (!known?.row || known.settled) continue
    const { state } = known
    sendAgain(tx, table, school, [known])
    again.push({ table, state })
    if (table === 'school_management') places.push({ place: known.row as Row<'school_management'>, by: state.units['role']?.[3] ?? null })
  }
  await announceSecrets(tx, again, null)
  return places
}

const isAct = (table: Replicated) => table === 'school_join_request' || table === 'school_management'

/** Approves the pending join requests of people who agreed and have their place here already: nobody has to answer them. */
export async function approveAgreed(tx: WriteTx, places: readonly AgreedMembership[]): Promise<void> {
  for (const { place, by } of places) {
    const { school_id, user_id, is_active } = place
    const requests = is_active ? await rowsNaming(tx, 'school_join_request', school_id, 'user_id', [user_id]) : []
    for (const before of requests as Row<'school_join_request'>[])
      if (before.status === 'pending')
        await tx.update('school_join_request', before, { status: 'approved', reviewed_at: tx.now, reviewed_by: by })
  }
}
