import { COMMONS } from '@markbook/shared/ids'
import { versionsReader } from '@markbook/sync/versions'
import { and, or } from 'drizzle-orm'
import { matches } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'
import { peopleOfOneSchool } from '../schools/schools.policy.ts'

const PLACE = ['school_id', 'created_at'] as const
const activeMembershipsOf = rowsBy('school_management', { user: 'user_id' }, { columns: PLACE, where: { is_active: true } })
const schoolServersAmong = statement<{ nodes: string; schools: string }>()(({ db, t: { sync_peer: of }, p, dialect }) =>
  db
    .select({ node: of.node_id, school: of.school_id })
    .from(of)
    .where(
      and(matches(of, { side: 'child', kind: 'school' }), or(dialect.inList(of.node_id, p.nodes), dialect.inList(of.school_id, p.schools))),
    ),
)

/** The merge unit that contains the secret. */
const SECRET_UNIT = { user_totp: 'secret', recovery_code: 'code' } as const

/**
 * The secrets of a person that this node accepts for signing in. A school with its own server can read every secret that its server wrote
 * or received. A secret written there counts only for people who work at that school and at no other. A secret received there counts until
 * its owner joins another school (docs/design/sign-in.md).
 */
export async function acceptedSecrets<T extends { id: string }>(
  tx: ReadTx,
  table: keyof typeof SECRET_UNIT,
  user: string,
  rows: readonly T[],
): Promise<T[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const versionsOf = versionsReader()
  const stored = await tx.dialect.versionsOf(tx.connection, COMMONS, table, ids)
  const stamps = new Map(stored.map((each) => [each.row_id, versionsOf(each).units[SECRET_UNIT[table]]]))
  const nodes = new Set([...stamps.values()].flatMap((stamp) => stamp?.[0] ?? []))
  const places = await activeMembershipsOf(tx, { user })
  const schools = places.map(({ school_id }) => school_id)
  const servers = await schoolServersAmong(tx, { nodes: JSON.stringify([...nodes]), schools: JSON.stringify(schools) })
  const known = disclosedUntil(places, new Set(servers.map(({ school }) => school)), tx.nowMs)
  const schoolOf = new Map(servers.map(({ node, school }) => [node, school ?? '']))
  const closed = new Set<string>()
  for (const school of new Set([...nodes].flatMap((node) => schoolOf.get(node) ?? [])))
    if (!(await peopleOfOneSchool(tx, school, [user])).has(user)) closed.add(school)
  return rows.filter(({ id }) => {
    const [writer, , hlc] = stamps.get(id) ?? ['', 0, known]
    return hlc >= known && !closed.has(schoolOf.get(writer) ?? '')
  })
}

type ActiveMembership = { school_id: string; created_at: string }
/**
 * The time in ms until which a school with its own server received the person's secrets: the start of the first membership elsewhere; 0
 * for never.
 */
function disclosedUntil(places: readonly ActiveMembership[], withServer: ReadonlySet<string | null>, nowMs: number): number {
  const ends = places
    .filter(({ school_id }) => withServer.has(school_id))
    .map(({ school_id: own }) => places.filter(({ school_id }) => school_id !== own))
    .map((others) => Math.min(...others.map(({ created_at }) => Date.parse(created_at))))
  // A membership dated in the future must not refuse every secret for good.
  return Math.max(0, ...ends.filter((end) => end <= nowMs))
}
