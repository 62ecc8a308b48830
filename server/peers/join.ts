import type { Row } from '@markbook/shared/tables/tables'
import { type Join, Joined, PROTOCOL } from '@markbook/sync/protocol/messages'
import { eq } from 'drizzle-orm'
import type { Services } from '../http/services.ts'
import { laptopOwner } from '../store/laptop.ts'
import type { Store } from '../store/store.ts'
import { asSystem, type WriteTx } from '../store/tx.ts'
import { everyParent, NEW_PEER, standingOf, syncFailures } from './enrolment.ts'
import { beginUnderNumber, isSamePlace } from './incarnation.ts'
import { nodeKeys } from './keys.ts'
import { mayHaveArrived, troubleOf } from './line-trouble.ts'
import { type Carrier, LineFailure } from './parent-line.ts'

type Here = Pick<Services, 'store' | 'config'>
type Peer = Row<'sync_peer'>

/** `isBeside`: the server of this database runs in another process, which begins under a new number by itself. */
export type Joining = { url: string; code: string; kind: 'school' | 'laptop'; isBeside?: boolean }

/**
 * Joins a parent by its invitation. A school that started alone brings its rows; one that is empty gets those of the school that the
 * invitation is for. A parent that was joined before, and may have revoked this node since, is joined anew in its place.
 * Throws `LineFailure` with the parent's code. Where it stops half way, it is done again with another invitation.
 */
export async function joinParent(services: Here, joining: Joining, carry: Carrier = fetch): Promise<Joined> {
  const { store } = services
  const user = await ownerHere(store, joining.kind)
  let node = store.nodeId
  const joined = await ask(services, { ...joining, node, user }, carry).catch(async (error: unknown) => {
    if (!(error instanceof LineFailure) || error.code !== 'sync.node_taken') throw error
    node = await store.write(asSystem(), async (tx) => tx.newId())
    return ask(services, { ...joining, node, user }, carry)
  })
  // A parent of an older program does not ask whose this is.
  if (user !== null && joined.user !== user) throw refusal(syncFailures.otherPerson())
  await store.write(asSystem(), (tx) => enrol(tx, joined, { node, url: new URL(joining.url).origin }))
  if (!joining.isBeside) await beginUnderNumber(store, joined.peer)
  return joined
}

const refusal = ({ code, message }: { code: string; message: string }) => new LineFailure(code, message)

/** Whose laptop this is; null where it is nobody's yet, and for a school's server. */
async function ownerHere(store: Store, kind: Joining['kind']): Promise<string | null> {
  const { parents, user } = await store.read(asSystem(), async (tx) => ({ parents: await everyParent(tx), user: await laptopOwner(tx) }))
  if (kind === 'school' && user !== null) throw refusal(syncFailures.isALaptop())
  if (kind === 'laptop' && user === null && parents.length > 0) throw refusal(syncFailures.isNoLaptop())
  return user
}

async function enrol(tx: WriteTx, joined: Joined, { node: own_epoch, url }: { node: string; url: string }): Promise<void> {
  const { sync_peer } = tx.t
  const { node, kind, name, public_key, box_key } = joined.parent
  const parents = await everyParent(tx)
  const before = standingOf(parents).filter((each) => isSamePlace(each, { node_id: node, url }))
  // It stays, as one that was left: it says how much of this node's writes the parent has.
  for (const { id } of before) await tx.local.update(tx.t.sync_peer).set({ revoked_at: tx.now }).where(eq(sync_peer.id, id))
  await tx.local.delete(tx.t.sync_peer).where(eq(sync_peer.id, joined.peer))
  await tx.local.insert(tx.t.sync_peer).values({
    ...NEW_PEER,
    id: joined.peer,
    side: 'parent',
    kind,
    name,
    school_id: joined.school,
    user_id: joined.user,
    node_id: node,
    url,
    place: before[0]?.place ?? lastPlace(standingOf(parents)) + 1,
    public_key,
    box_key,
    own_epoch,
    enrolled_at: tx.now,
  })
}

const lastPlace = (parents: readonly Peer[]) => Math.max(-1, ...parents.map(({ place }) => place))

type Asking = Joining & { node: string; user: string | null }

async function ask({ store, config }: Here, { url, code, kind, node, user }: Asking, carry: Carrier): Promise<Joined> {
  const keys = nodeKeys(config.sessionSecret, node)
  const [own] = await store.read(asSystem(), (tx) => tx.db.select({ id: tx.t.school.id, name: tx.t.school.name }).from(tx.t.school))
  const asked: Join = {
    protocol: PROTOCOL,
    code,
    node,
    kind,
    name: config.nodeName,
    public_key: keys.publicKey,
    box_key: keys.boxKey,
    school: own?.id ?? null,
    ...(user !== null && { user }),
  }
  const body = JSON.stringify(asked)
  const request = new Request(new URL('/sync/join', url), { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const response = await carry(request).catch((error: unknown) => {
    throw new LineFailure('line', `${troubleOf(error, url)}${mayHaveArrived(error) ? MAYBE_TAKEN : ''}`)
  })
  const noMarkbook = { message: `No Markbook answers at ${url}.` }
  const answer = (await response.json().catch(() => noMarkbook)) as { code?: string; message?: string }
  const said = answer.message ?? `The answer was ${response.status}.`
  // The other server may not know what the school here is called.
  if (answer.code === 'sync.school_taken' && own && !said.includes(own.name))
    throw new LineFailure(answer.code, `${said} This server holds ${own.name}.`)
  if (!response.ok) throw new LineFailure(answer.code ?? 'line', said)
  const { success, data: joined } = Joined.safeParse(answer)
  if (!success) throw new LineFailure('line', noMarkbook.message)
  // A parent that has nothing of a school yet does not know what it is called.
  return own ? { ...joined, school_name: own.name } : joined
}

const MAYBE_TAKEN =
  ' It may have taken the code all the same. If the code is refused the next time, ask for another one there, and let them revoke what their markbook node list shows as never heard.'
