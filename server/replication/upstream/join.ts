import { replicationFailures } from '@markbook/shared/contract/replication'
import { type Join, Joined } from '@markbook/sync/protocol/messages'
import { eq } from 'drizzle-orm'
import type { Services } from '../../http/services.ts'
import { isInsecure } from '../../network/addresses.ts'
import { laptopOwner } from '../../store/laptop.ts'
import { type Peer, setPeer } from '../../store/peer-row.ts'
import type { Store } from '../../store/store.ts'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { everyParent, keysOfCode, NEW_PEER, numberAgain, presentParents, syncFailures } from '../identity/enrolment.ts'
import { isReplyProved, nodeKeys, type Reply } from '../identity/keys.ts'
import { keptName } from '../identity/nodes.ts'
import { beginUnderNumber, isSamePlace } from '../incarnation/incarnation.ts'
import { headersOf } from '../line/headers.ts'
import { mayHaveArrived, troubleOf } from '../line/line-trouble.ts'
import { authenticated, type Carrier, LineFailure, NOT_AUTHENTIC, OTHER_NAME, signedRequest } from '../line/parent-line.ts'

type Here = Pick<Services, 'store' | 'config'>
/**
 * `isBeside`: another process serves this database, and takes a new number by itself. `mayBeInsecure`: a person said that plain http to
 * another machine may be used.
 */
export type Joining = { url: string; code: string; kind: 'school' | 'laptop'; isBeside?: boolean; mayBeInsecure?: boolean }

/**
 * Joins a parent by its invitation. A school that started alone brings its rows; an empty one gets those of the school that the invitation
 * is for. A parent that was joined before, and may have revoked this node since, is joined anew in its place. Throws
 * `sync.insecure_address`, and `LineFailure` with the parent's code. Where it stops half way, it can be done again with the same
 * invitation.
 */
export async function joinParent(services: Here, joining: Joining, carry: Carrier = fetch): Promise<Joined> {
  const { store } = services
  await demandSecure(store, joining)
  const user = await ownerHere(store, joining.kind)
  let node = store.nodeId
  const joined = await ask(services, { ...joining, node, user }, carry).catch(async (error: unknown) => {
    if (!(error instanceof LineFailure) || error.code !== 'sync.node_taken') throw error
    node = numberAgain(keysOfCode(joining.code).id, node)
    return ask(services, { ...joining, node, user }, carry)
  })
  // Checked here too, whatever the parent checks.
  if (user !== null && joined.user !== user) throw refusal(syncFailures.otherPerson())
  await store.write(asSystem(), (tx) => enrol(tx, joined, { node, url: new URL(joining.url).origin }))
  if (!joining.isBeside) await beginUnderNumber(store, joined.peer)
  return joined
}

/**
 * Throws before anything is sent over plain http to another machine. A parent that was joined so may be joined so again: its address is in
 * its row.
 */
async function demandSecure(store: Store, { url, mayBeInsecure = false }: Joining): Promise<void> {
  if (mayBeInsecure || !isInsecure(url)) return
  const parents = await store.read(asSystem(), everyParent)
  if (!parents.some((each) => each.url === new URL(url).origin)) throw replicationFailures.insecureAddress()
}

/** The parent may have taken the invitation, which is then bound to this database: only here can the same be done again. */
export class MaybeJoined extends LineFailure {}

const refusal = ({ code, message }: { code: string; message: string }) => new LineFailure(code, message)

/** Whose laptop this is; null where it is nobody's yet, and for a school's server. Throws where this node is not of the kind. */
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
  const before = presentParents(parents).filter((each) => isSamePlace(each, { node_id: node, url }))
  // The earlier row stays, as of a parent that was left: it says how much of this node's feed the parent has.
  for (const { id } of before) await setPeer(tx, id, { revoked_at: tx.now })
  await tx.local.delete(tx.t.sync_peer).where(eq(sync_peer.id, joined.peer))
  await tx.local.insert(tx.t.sync_peer).values({
    ...NEW_PEER,
    id: joined.peer,
    side: 'parent',
    kind,
    name: keptName(name),
    school_id: joined.school,
    user_id: joined.user,
    node_id: node,
    url,
    place: before[0]?.place ?? lastPlace(presentParents(parents)) + 1,
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
    node,
    kind,
    name: config.nodeName,
    public_key: keys.publicKey,
    box_key: keys.boxKey,
    school: own?.id ?? null,
    ...(user !== null && { user }),
  }
  const { request, answers, verifier } = signedByCode(asked, code, url)
  const response = await carry(request).catch((error: unknown) => {
    throw mayHaveArrived(error)
      ? new MaybeJoined('line', `${troubleOf(error, url)}${MAYBE_TAKEN}`)
      : new LineFailure('line', troubleOf(error, url))
  })
  const { status, headers } = response
  if (!headers.has(headersOf.signature)) throw notLetIn(url, status)
  const isAuthentic = (reply: Reply, proof: string) => isReplyProved(reply, proof, verifier)
  const answer = await authenticated(response, { answers, url }, isAuthentic).catch((error: unknown) => {
    if (!(error instanceof LineFailure)) throw error
    if (error.code === NOT_AUTHENTIC && status < 400) throw new MaybeJoined(NOT_AUTHENTIC, `${error.message}${MAYBE_TAKEN}`)
    if (status >= 500) throw new MaybeJoined(error.code, error.message)
    // The other server may not know what the school here is called.
    if (error.code === 'sync.school_taken' && own && !error.message.includes(own.name))
      throw new LineFailure(error.code, `${error.message} This server holds ${own.name}.`)
    throw error
  })
  const { data: joined } = Joined.safeParse(answer)
  if (!joined) throw new MaybeJoined(syncFailures.upgradeNeeded().code, OTHER_VERSION)
  // A parent that has nothing of a school yet does not know what it is called.
  return own ? { ...joined, school_name: own.name } : joined
}

/** A request whose signature shows that the sender has the code, which is not sent itself. */
function signedByCode(asked: Join, code: string, url: string): { request: Request; answers: string; verifier: string } {
  const { signing, id, verifier } = keysOfCode(code)
  const path = '/sync/join'
  const body = Buffer.from(JSON.stringify(asked))
  const { headers, answers } = signedRequest(path, body, { peer: id, keys: { signing } }, { nonce: '', number: 0 })
  return { request: new Request(new URL(path, url), { method: 'POST', headers, body: new Uint8Array(body) }), answers, verifier }
}

/**
 * The failure for a reply without a proof. A server that does not know the code cannot prove anything: its refusal is told, and changes
 * nothing here.
 */
function notLetIn(url: string, status: number): LineFailure {
  if (status === 400) return refusal(syncFailures.invitationInvalid())
  // A node that expects nobody answers as if nothing were there.
  if (status === 404)
    return new LineFailure(
      'sync.invitation_invalid',
      `${syncFailures.invitationInvalid().message} Or no Markbook is at ${url}; where it is older there, it must be updated first.`,
    )
  if (status === 421) return new LineFailure('line', `The server at ${url} ${OTHER_NAME}`)
  if (status < 400) return new LineFailure('line', `No Markbook answers at ${url}.`)
  const other = `The answer of ${url} was ${status}, and not that of a server that knows the code.`
  // A proxy answers 5xx also where the server behind it did the work.
  return status >= 500 ? new MaybeJoined('line', `${other}${MAYBE_TAKEN}`) : new LineFailure('line', other)
}

const MAYBE_TAKEN =
  ' It may have taken the code all the same: then it is still good here, and nowhere else. Do the same again with the same code.'
const OTHER_VERSION =
  'The answer of the other server cannot be read by this version of Markbook. Install the same version here as there, and do the same again with the same code.'
