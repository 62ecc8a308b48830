import { randomBytes } from 'node:crypto'
import { toInstant } from '@markbook/shared/clock'
import { replicationFailures } from '@markbook/shared/contract/replication'
import { failures } from '@markbook/shared/failures'
import { naturalId } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import type { NodeRole } from '@markbook/shared/tables/node'
import type { Row } from '@markbook/shared/tables/tables'
import type { Join, Joined } from '@markbook/sync/protocol/messages'
import { and, eq, gt, isNull } from 'drizzle-orm'
import { incarnations, lockedNode } from '../../store/node.ts'
import type { Peer } from '../../store/peer-row.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import type { Store } from '../../store/store.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { type CodeKeys, codeKeys, invitationId, isKey, type NodeKeys } from './keys.ts'
import { keptName, nameAnew } from './nodes.ts'

export const syncFailures = failures('sync', {
  invitationInvalid: [
    400,
    'This invitation is wrong, was used already, or is too old. It counts only at the server that made it: compare the address, then ask for a new one.',
  ],
  forALaptop: [
    409,
    'This code is for a laptop, and is still good. On the laptop of whom it is for: markbook join <address> <code> --laptop',
  ],
  forAServer: [409, 'This code is for the server of a school, not for a laptop, and is still good. Ask for another one, for a laptop.'],
  schoolTaken: [409, 'The code is for another school than the one that the server holds which joins.'],
  noSchoolToBring: [
    409,
    'The code is for a school that started alone and brings its rows, but the server that joins has no school yet. Open the school there first; or ask for a code for a school that the centre has: markbook node invite --school NAME',
  ],
  unknownNode: [401, 'This node is not enrolled here.'],
  badSignature: [401, 'The signature is wrong.'],
  staleSession: [409, 'The session with the parent has ended. Say hello again.'],
  nodeTaken: [409, 'Another database is enrolled here under this number: one of the two is a copy of the other.'],
  otherPerson: [
    409,
    'This laptop is another person’s, and the invitation is not for them. Ask for one for whoever it belongs to; a second person needs a Markbook of their own, in another folder.',
  ],
  isALaptop: [409, 'This is a teacher’s laptop. Add --laptop, with an invitation for its owner.'],
  isNoLaptop: [409, 'This is a school’s server, and no teacher’s laptop. Leave out --laptop.'],
  revoked: [403, 'This node was revoked by an administrator.'],
  noWipe: [409, 'Nobody has asked here that this laptop be erased.'],
  upgradeNeeded: [426, 'This version of Markbook is too old to replicate. Install a newer one; nothing is lost meanwhile.'],
  later: [409, 'Another one is being compared at this moment. Ask again in a minute.'],
  tooLarge: [413, 'The page is too large.'],
  queueFull: [503, 'Too many rows wait to be written. An administrator must look at them first.'],
})

/** 128 bits as 26 letters and digits that are hard to mistake, in groups, for reading aloud and typing. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
function newCode(): string {
  let value = BigInt(`0x${randomBytes(16).toString('hex')}`)
  let code = ''
  for (let at = 0; at < 26; at += 1) {
    code += LETTERS[Number(value & 31n)]
    value >>= 5n
  }
  return (code.match(/.{1,5}/g) as string[]).join('-')
}

const plain = (code: string) => code.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')

/** The keys that follow from a code, however it was typed. */
export const keysOfCode = (code: string): CodeKeys => codeKeys(plain(code))

type Invitation = { kind: 'school' | 'laptop'; schoolId: string | null; userId: string | null; by: string | null }

/**
 * Makes an invitation. Its code is returned once and not kept; what is kept is the public key that follows from it and verifies who has the
 * code. Throws where this node may not invite the kind, where too many invitations are open, and where the person may have no laptop.
 */
export async function invite(tx: WriteTx, { kind, schoolId, userId, by }: Invitation): Promise<{ code: string; expires_at: string }> {
  const { sync_invitation, school_management } = tx.t
  const { db } = tx
  await demandMayInvite(tx, kind)
  await lockedNode(tx, {})
  const open = await db
    .select()
    .from(sync_invitation)
    .where(and(isNull(sync_invitation.used_at), gt(sync_invitation.expires_at, tx.now)))
  if (open.filter(({ school_id }) => school_id === schoolId).length >= limits.sync.invitation.open)
    throw replicationFailures.tooManyInvitations()
  if (kind === 'laptop') {
    const place = and(eq(school_management.school_id, schoolId ?? ''), eq(school_management.user_id, userId ?? ''))
    const [member] = await db.select().from(school_management).where(place)
    if (!member?.is_active || member.role === 'member') throw replicationFailures.notALaptopUser()
  }
  const code = newCode()
  const expires_at = toInstant(tx.nowMs + limits.sync.invitation.lifetimeMs)
  await tx.local.insert(tx.t.sync_invitation).values({
    id: tx.newId(),
    code_hash: keysOfCode(code).verifier,
    kind,
    school_id: schoolId,
    user_id: userId,
    created_by: by,
    created_at: tx.now,
    expires_at,
    used_at: null,
  })
  if (schoolId) tx.note({ schoolId, entity: 'sync_invitation', id: schoolId, action: 'create', changes: { kind, user_id: userId } })
  return { code, expires_at }
}

/**
 * Throws where this node may not invite the kind. Laptops join a school or the centre, schools' servers the centre (sync.md, «Topology»). A
 * school without a parent may become a centre.
 */
async function demandMayInvite(tx: ReadTx, kind: Invitation['kind']): Promise<void> {
  const parents = await parentsOf(tx)
  if (parents.some(({ user_id }) => user_id !== null)) throw replicationFailures.nobodyJoinsALaptop()
  if (kind === 'school' && parents.length > 0) throw replicationFailures.joinsTheCentre()
}

/** This node, as a joining node is told of it. */
export type Host = { nodeId: string; kind: NodeRole; name: string; keys: NodeKeys }

/**
 * Enrols a node by its invitation, once. A school that started alone brings its own id; an invitation for a school that is here enrols only
 * that school. A node that was enrolled and did not get the reply asks again and gets it (SPEC, «Enrolment»).
 */
export async function admit(tx: WriteTx, host: Host, { id }: Pick<Invited, 'id'>, join: Join): Promise<Joined> {
  if (!isKey(join.public_key, 'ed25519') || !isKey(join.box_key, 'x25519')) throw syncFailures.badSignature()
  await lockedNode(tx, {})
  // Read again under the lock: the same node may have asked twice at once.
  const [invitation] = await invitationsWithId(tx, { id })
  if (!invitation) throw syncFailures.invitationInvalid()
  const { used_at, user_id, school_id: invited } = invitation
  if (used_at === null) requireFittingInvitation(invitation, join)
  const known = await childByNode(tx, join.node)
  if (known && isAdmittedBy(known, invitation, join)) return joinedAs(tx, host, known, join)
  // A copy of this very database joins its original.
  if (known || (await incarnations(tx)).includes(join.node)) throw syncFailures.nodeTaken()
  if (used_at !== null || !(await isStillGiven(tx, invitation))) throw syncFailures.invitationInvalid()
  const { sync_invitation } = tx.t
  await tx.local.update(tx.t.sync_invitation).set({ used_at: tx.now }).where(eq(sync_invitation.id, id))
  const school_id = await schoolToJoin(tx, invited, join)
  const child = {
    id: tx.newId(),
    kind: join.kind,
    name: await nameAmong(tx, { ...invitation, school_id }, join),
    school_id,
    user_id,
    node_id: join.node,
    public_key: join.public_key,
    box_key: join.box_key,
    enrolled_at: tx.now,
  }
  await tx.local.insert(tx.t.sync_peer).values({ ...NEW_PEER, ...child, side: 'child' })
  return joinedAs(tx, host, child, join)
}

const childrenHere = rowsBy('sync_peer', { school: 'school_id' }, { where: { side: 'child' } })

/**
 * The name of a node that joins. A node that left and joins again, or comes by another address, is enrolled here already: it is called as
 * one that began anew, so that people see one computer and not two. Its number follows from the one before (`joinParent`).
 */
async function nameAmong(tx: ReadTx, { code_hash, school_id, user_id }: Invited, { kind, name, node }: Join): Promise<string> {
  const children = await childrenHere(tx, { school: school_id as string })
  const former = children.find(
    (each) =>
      each.kind === kind &&
      each.user_id === user_id &&
      each.revoked_at === null &&
      numberAgain(invitationId(code_hash), each.node_id) === node,
  )
  return former
    ? nameAnew(
        former.name,
        children.map((each) => each.name),
      )
    : keptName(name)
}

/** The number under which a node joins whose number is enrolled already, so that another attempt names the same. `id`: of the invitation. */
export const numberAgain = (id: string, number: string): string => naturalId('node', id, number)

const placeOf = rowsBy('school_management', { school: 'school_id', user: 'user_id' }, { lock: true })

/**
 * Whether the rights behind an invitation still stand: those of the administrator who made it, and the place of the person whose laptop it
 * is for. An invitation of the console has no maker who could lose them.
 */
async function isStillGiven(tx: WriteTx, { school_id, user_id, created_by }: Invited): Promise<boolean> {
  const has = async (user: string | null, isEnough: (role: Row<'school_management'>['role']) => boolean) => {
    if (user === null || school_id === null) return user === null
    const [place] = await placeOf(tx, { school: school_id, user })
    return place?.is_active === true && isEnough(place.role)
  }
  return (await has(created_by, (role) => role === 'admin')) && (await has(user_id, (role) => role !== 'member'))
}

/** Throws where the invitation is for another kind or person. Whoever has the right code may learn what it is for. */
function requireFittingInvitation({ kind, user_id }: Invited, join: Join): void {
  if (join.kind !== 'laptop' && kind === 'laptop') throw syncFailures.forALaptop()
  if (join.kind === 'laptop' && kind !== 'laptop') throw syncFailures.forAServer()
  // A laptop holds what one person may read and write.
  if (join.user != null && join.user !== user_id) throw syncFailures.otherPerson()
}

/**
 * Whether this invitation enrolled this very node, with these keys, and the node has not greeted since: then it never got the reply. The
 * peer and the invitation bear the time of one transaction.
 */
function isAdmittedBy(child: Peer, { used_at }: Invited, join: Join): boolean {
  const { kind, public_key, box_key, school_id, user_id, enrolled_at, session_nonce, revoked_at } = child
  const isSameNode = kind === join.kind && public_key === join.public_key && box_key === join.box_key
  const isSameHolding = (join.school ?? school_id) === school_id && (join.user ?? user_id) === user_id
  return enrolled_at === used_at && session_nonce === null && revoked_at === null && isSameNode && isSameHolding
}

type Enrolled = Pick<Peer, 'id' | 'school_id' | 'user_id'>

async function joinedAs(tx: WriteTx, host: Host, { id, school_id, user_id }: Enrolled, join: Join): Promise<Joined> {
  const { school } = tx.t
  const schoolId = school_id as string
  const [known] = await tx.db.select().from(school).where(eq(school.id, schoolId))
  const { nodeId, name, keys } = host
  const parent = { node: nodeId, kind: await standingOver(tx, host, join), name, public_key: keys.publicKey, box_key: keys.boxKey }
  return { peer: id, parent, school: schoolId, school_name: known?.name ?? join.name, user: user_id }
}

/** The id of the school to join: that of the invitation, or the one that the node brings. Throws where they differ or there is none. */
async function schoolToJoin({ db, t: { school } }: WriteTx, invited: string | null, { school: brought, kind }: Join): Promise<string> {
  const nameOf = async (id: string) => (await db.select({ name: school.name }).from(school).where(eq(school.id, id)))[0]?.name
  if (!invited && !brought) throw syncFailures.noSchoolToBring()
  const known = brought ? await nameOf(brought) : undefined
  if (invited && brought && brought !== invited) {
    const wanted = known ? `--school "${known}"` : '--new'
    const other = kind === 'laptop' ? 'Begin there with an empty folder' : `Ask for another one, with markbook node invite ${wanted}`
    const message = `The code is for ${await nameOf(invited)}, and is still good; the server that joins holds another school. ${other}.`
    throw syncFailures.schoolTaken({ message })
  }
  if (!invited && known)
    throw syncFailures.schoolTaken({
      message: `The code, which is still good, is for a school that is new to the centre, but ${known} is there already. Ask for one with markbook node invite --school "${known}"`,
    })
  return invited ?? (brought as string)
}

type Invited = Row<'sync_invitation'>

const invitationsWithId = rowsBy('sync_invitation', { id: 'id' })
const invitationsUntil = statement<{ now: string }>()(({ db, t: { sync_invitation }, p }) =>
  db.select().from(sync_invitation).where(gt(sync_invitation.expires_at, p.now)),
)
const withoutUse = statement<{ now: string }>()(({ db, t: { sync_invitation }, p }) =>
  db
    .select({ id: sync_invitation.id })
    .from(sync_invitation)
    .where(and(isNull(sync_invitation.used_at), gt(sync_invitation.expires_at, p.now)))
    .limit(1),
)

/**
 * The invitation with this id (`codeKeys`) while its code is good. Also a used one: `admit` answers it only to the node that used it. `now`
 * in ms.
 */
export async function invitationNamed(tx: ReadTx, id: string, now: number): Promise<Invited | undefined> {
  return (await invitationsUntil(tx, { now: toInstant(now) })).find(({ code_hash }) => invitationId(code_hash) === id)
}

const anyChild = rowsBy('sync_peer', {}, { columns: ['id'], where: { side: 'child' }, limit: 1 })

/** Whether this node has no child, not even a revoked one, which must be told so, and no open invitation. `now` in ms. */
export async function isSilent(store: Pick<Store, 'readOnce'>, now: number): Promise<boolean> {
  if ((await store.readOnce((tx) => anyChild(tx, {}))).length > 0) return false
  return (await store.readOnce((tx) => withoutUse(tx, { now: toInstant(now) }))).length === 0
}

/**
 * What this node is to a node that joins: to a school's server the centre; to a laptop the school, unless schools' servers join here too.
 * Without any other node its own kind.
 */
async function standingOver(tx: WriteTx, { kind }: Host, join: Join): Promise<NodeRole> {
  if (join.kind === 'school') return 'centre'
  if ((await parentsOf(tx)).length > 0) return 'school'
  const { sync_peer } = tx.t
  const schools = await tx.db.$count(
    sync_peer,
    and(eq(sync_peer.side, 'child'), eq(sync_peer.kind, 'school'), isNull(sync_peer.revoked_at)),
  )
  return schools > 0 ? 'centre' : kind
}

/** The columns of a peer of which nothing is known yet. */
export const NEW_PEER = {
  url: null,
  place: 0,
  own_epoch: null,
  own_seq: 0,
  own_people: 0,
  their_epoch: null,
  their_cursor: null,
  highest_counter: 0,
  history_head: null,
  scope: null,
  schema: 0,
  clock_offset: null,
  session_nonce: null,
  session_number: 0,
  last_seen_at: null,
  revoked_at: null,
  compared_at: null,
  difference: null,
  wipe_asked_at: null,
  wiped_at: null,
} as const

const peersWithId = rowsBy('sync_peer', { id: 'id' })

export async function peerById(tx: ReadTx, id: string): Promise<Peer | undefined> {
  return (await peersWithId(tx, { id }))[0]
}

const peerToHold = rowsBy('sync_peer', { id: 'id' }, { lock: true })
/** The same, locked until the commit. */
export async function peerHeld(tx: WriteTx, id: string): Promise<Peer | undefined> {
  return (await peerToHold(tx, { id }))[0]
}

const childrenOfNode = rowsBy('sync_peer', { node: 'node_id' }, { where: { side: 'child' } })

/**
 * The child that is or was enrolled under this number, by its last enrolment here. A later one may have gone with the last days of this
 * database.
 */
export async function childByNode(tx: ReadTx, node: string): Promise<Peer | undefined> {
  const rows = await childrenOfNode(tx, { node })
  return rows.sort((a, b) => (a.id < b.id ? 1 : -1))[0]
}

/** The child with this enrolment or, where there is none, with this number. */
export async function askingChild(store: Pick<Store, 'readOnce'>, id: string): Promise<Peer | undefined> {
  const peer = (await store.readOnce((tx) => peerById(tx, id))) ?? (await store.readOnce((tx) => childByNode(tx, id)))
  return peer?.side === 'child' ? peer : undefined
}

const everyParentRow = rowsBy('sync_peer', {}, { where: { side: 'parent' } })
/** Every parent, also those that were left, or joined again under another enrolment. */
export const everyParent = (tx: ReadTx): Promise<Peer[]> => everyParentRow(tx, {})
/** The present ones of these, in the order in which they are asked. */
export const presentParents = (parents: readonly Peer[]): Peer[] =>
  parents.filter(({ revoked_at }) => revoked_at === null).sort((a, b) => a.place - b.place)

/** The present parents of this node. */
export const parentsOf = async (tx: ReadTx): Promise<Peer[]> => presentParents(await everyParent(tx))
