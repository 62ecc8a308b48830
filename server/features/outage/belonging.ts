import { COMMONS } from '@markbook/shared/ids'
import { versionsReader } from '@markbook/sync/versions'
import { and, eq, or } from 'drizzle-orm'
import { statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

const membersAmong = statement<{ users: string }>()(({ db, t: { school_management: of }, p, dialect }) =>
  db
    .select({ user: of.user_id, school: of.school_id })
    .from(of)
    .where(and(eq(of.is_active, true), dialect.inList(of.user_id as never, p.users))),
)
const applicantsAmong = statement<{ users: string }>()(({ db, t: { school_join_request: of }, p, dialect }) =>
  db
    .select({ user: of.user_id, school: of.school_id })
    .from(of)
    .where(and(eq(of.status, 'pending'), dialect.inList(of.user_id as never, p.users))),
)

type Tie = { user: string; school: string }
const tiesOf = async (tx: ReadTx, users: readonly string[]): Promise<{ members: Tie[]; applicants: Tie[] }> => {
  const among = { users: JSON.stringify(users) }
  return { members: await membersAmong(tx, among), applicants: await applicantsAmong(tx, among) }
}

/** Those of the people who work at another school than this one, or have asked another for a place (decision 0403). */
export async function peopleElsewhere(tx: ReadTx, school: string, users: readonly string[]): Promise<Set<string>> {
  if (users.length === 0) return new Set()
  const { members, applicants } = await tiesOf(tx, users)
  return new Set([...members, ...applicants].filter((tie) => tie.school !== school).map(({ user }) => user))
}

/** Those of the people who work at this school and at no other (decision 0403). */
export async function peopleOfOneSchool(tx: ReadTx, school: string, users: readonly string[]): Promise<Set<string>> {
  if (users.length === 0) return new Set()
  const { members, applicants } = await tiesOf(tx, users)
  const elsewhere = new Set([...members, ...applicants].filter((tie) => tie.school !== school).map(({ user }) => user))
  return new Set(members.filter((tie) => tie.school === school && !elsewhere.has(tie.user)).map(({ user }) => user))
}

const placesOf = statement<{ user: string }>()(({ db, t: { school_management: of }, p }) =>
  db
    .select({ school: of.school_id, since: of.created_at })
    .from(of)
    .where(and(eq(of.is_active, true), eq(of.user_id, p.user))),
)
const serversOf = statement<{ nodes: string; schools: string }>()(({ db, t: { sync_peer: of }, p, dialect }) =>
  db
    .select({ node: of.node_id, school: of.school_id })
    .from(of)
    .where(
      and(
        eq(of.side, 'child'),
        eq(of.kind, 'school'),
        or(dialect.inList(of.node_id as never, p.nodes), dialect.inList(of.school_id as never, p.schools)),
      ),
    ),
)

/** The unit that says what a person signs in with. */
const KEY = { user_totp: 'secret', recovery_code: 'code' } as const

/**
 * Those of a person's secrets that open here. What the server of a school wrote, or was given, is known to whoever runs it: the first opens
 * for those who work at that school and at no other, the second until they have a place elsewhere (decision 0403).
 */
export async function opening<T extends { id: string }>(
  tx: ReadTx,
  table: keyof typeof KEY,
  user: string,
  rows: readonly T[],
): Promise<T[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const versionsOf = versionsReader()
  const stored = await tx.dialect.versionsOf(tx.line, COMMONS, table, ids)
  const stamps = new Map(stored.map((each) => [each.row_id, versionsOf(each).units[KEY[table]]]))
  const nodes = new Set([...stamps.values()].flatMap((stamp) => stamp?.[0] ?? []))
  const places = await placesOf(tx, { user })
  const schools = places.map(({ school }) => school)
  const servers = await serversOf(tx, { nodes: JSON.stringify([...nodes]), schools: JSON.stringify(schools) })
  const known = knownUntil(places, new Set(servers.map(({ school }) => school)), tx.nowMs)
  const schoolOf = new Map(servers.map(({ node, school }) => [node, school ?? '']))
  const closed = new Set<string>()
  for (const school of new Set([...nodes].flatMap((node) => schoolOf.get(node) ?? [])))
    if (!(await peopleOfOneSchool(tx, school, [user])).has(user)) closed.add(school)
  return rows.filter(({ id }) => {
    const [writer, , hlc] = stamps.get(id) ?? ['', 0, known]
    return hlc >= known && !closed.has(schoolOf.get(writer) ?? '')
  })
}

type Place = { school: string; since: string }
/** Until when a school with a server of its own was given what this person signs in with: the first place elsewhere, in ms; 0 for never. */
function knownUntil(places: readonly Place[], withServer: ReadonlySet<string | null>, nowMs: number): number {
  const ends = places
    .filter(({ school }) => withServer.has(school))
    .map(({ school }) => Math.min(...places.filter((other) => other.school !== school).map(({ since }) => Date.parse(since))))
  // A place that began in the year 2099 would close every app for ever.
  return Math.max(0, ...ends.filter((end) => end <= nowMs))
}
