import { COMMONS } from '@markbook/shared/ids'
import { descriptions } from '@markbook/shared/tables/tables'
import type { Carried } from '@markbook/sync/protocol/page'
import { peopleElsewhere, peopleOfOneSchool } from '../../features/schools/schools.policy.ts'
import { sendAgain } from '../../store/replica/application.ts'
import { type FeedPage, readPeople, withPeople } from '../../store/replica/feed.ts'
import { knownRows } from '../../store/replica/states.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { type Scope, SECRETS } from './scope.ts'

/** Ids of the people of the school within the scope. Applicants belong to it where join requests do. */
export async function peopleIn(tx: ReadTx, school: string, { holds }: Scope): Promise<Set<string>> {
  return new Set(await tx.dialect.peopleOf(tx.connection, school, { applicants: holds('school_join_request') }))
}

/** Whether a person is an active member of another school, or has a pending request to join one. */
export const isElsewhere = async (tx: ReadTx, school: string, user: string): Promise<boolean> =>
  (await peopleElsewhere(tx, school, [user])).has(user)

/** The rows, after the people whom they name. Only rows that the scope holds name people: what a laptop does not get names nobody to it. */
export async function withNamed(tx: ReadTx, school: string, scope: Scope, rows: readonly Carried[]): Promise<Carried[]> {
  if (scope.secrets) return withoutOthersSecrets(tx, school, await withPeople(tx, rows, scope))
  const held = rows.filter(({ table }) => scope.holds(table))
  const known = new Set(rows)
  const people = (await withPeople(tx, held, scope)).filter((row) => !known.has(row))
  return [...people, ...rows]
}

/** Changes to people within the scope, after the number `after` of the people's feed. */
export async function changedPeople(
  tx: ReadTx,
  school: string,
  scope: Scope,
  { after, limit }: { after: number; limit: number },
): Promise<FeedPage> {
  const { rows, ...page } = await readPeople(tx, school, { after, limit, secrets: scope.secrets })
  if (rows.length === 0) return { rows, ...page }
  if (scope.secrets) return { rows: await withoutOthersSecrets(tx, school, rows), ...page }
  const people = await peopleIn(tx, school, scope)
  return { rows: rows.filter(({ state }) => people.has(state.id)), ...page }
}

const isSecret = ({ table }: Carried) => descriptions[table].sealed !== undefined
const ownerOf = ({ state }: Carried) => state.values['user_id'] as string

/**
 * The rows without the means of sign-in of people who work at another school too (M8): whoever runs a school's server could use them there.
 */
async function withoutOthersSecrets(tx: ReadTx, school: string, rows: readonly Carried[]): Promise<Carried[]> {
  const secrets = rows.filter(isSecret)
  if (secrets.length === 0) return [...rows]
  const own = await peopleOfOneSchool(tx, school, [...new Set(secrets.map(ownerOf))])
  return rows.filter((row) => !isSecret(row) || own.has(ownerOf(row)))
}

/**
 * Sends the means of sign-in of people to whom `rows` give an active place: they may have set them up before, and the other end may have
 * them only from now on. `notOf`: the node that is not sent what it sent itself; null for none.
 */
export async function announceSecrets(tx: WriteTx, rows: readonly Carried[], notOf: string | null): Promise<void> {
  const places = rows.filter(({ table, state }) => table === 'school_management' && state.alive.length > 0 && state.values['is_active'])
  const users = [...new Set(places.map(ownerOf))]
  if (users.length === 0) return
  for (const table of SECRETS) {
    const known = await knownRows(tx, table, COMMONS, await tx.dialect.rowIdsOf(tx.connection, table, users))
    const others = [...known.values()].filter(({ source }) => notOf === null || source !== notOf)
    sendAgain(tx, table, COMMONS, others)
  }
}
