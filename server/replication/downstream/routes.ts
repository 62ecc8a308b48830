import { limits } from '@markbook/shared/limits'
import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'
import { weightOfHistory } from '@markbook/sync/protocol/entries'
import { FileAsk } from '@markbook/sync/protocol/files'
import {
  Hello,
  Join,
  type Joined,
  KnownRowsQuery,
  Nothing,
  OLDEST_PROTOCOL,
  type Page,
  PROTOCOL,
  Pull,
  Push,
  type Pushed,
  Renew,
  type Renewed,
  type Verified,
  type Welcome,
  Wiped,
} from '@markbook/sync/protocol/messages'
import { rowCountOf, weightOf } from '@markbook/sync/protocol/sheet'
import { eq } from 'drizzle-orm'
import type { Hono } from 'hono'
import { slotOf } from '../../http/limiter.ts'
import type { AppEnv } from '../../http/mount.ts'
import type { Services } from '../../http/services.ts'
import { lockedNode } from '../../store/node.ts'
import { type Peer, setPeer } from '../../store/peer-row.ts'
import { QueueFull } from '../../store/replica/held.ts'
import { rowsBy } from '../../store/statement.ts'
import { asSystem, type ReadTx, type WriteTx } from '../../store/tx.ts'
import { FILE_CONTENT } from '../files/named.ts'
import { answerFiles, giveFile } from '../files/serve.ts'
import { newChallenge } from '../identity/challenge.ts'
import { admit, childByNode, isSilent, NEW_PEER, peerById, peerHeld, syncFailures } from '../identity/enrolment.ts'
import { isKey } from '../identity/keys.ts'
import { nameAnew } from '../identity/nodes.ts'
import { keysHere, sealKeys } from '../identity/own-keys.ts'
import { parentOfSchool } from '../identity/parent-state.ts'
import { isShutOut, isToBeWiped, noteWiped } from '../identity/wipe.ts'
import { withSingleWriter } from '../incarnation/duplicate-number.ts'
import { demandNotRestored, withRenewal } from '../incarnation/restored.ts'
import { refusalLogOf } from '../issues/refusal-log.ts'
import { isBelowFloor, unknownOf } from '../scope/missed-deletions.ts'
import { scopeOf } from '../scope/scope.ts'
import { digestsInTurn } from '../scope/verify.ts'
import { commitWaiters } from './commit-waiters.ts'
import {
  answerAt,
  type Child,
  type Ctx,
  challengeHere,
  countedIn,
  demandNoOrigin,
  departing,
  enrolled,
  greeting,
  type Invited,
  inSession,
  invited,
  numbered,
} from './endpoint.ts'
import { nextPage } from './pages.ts'
import { receive } from './receive.ts'
import { heard } from './tombstones.ts'

/** Mounts `/sync/*`, which children ask. These routes stand beside the contract, for programs alone. */
export function serveChildren(app: Hono<AppEnv>, services: Services): void {
  const news = commitWaiters(services.store)
  const digests = digestsInTurn(services.store)
  const at = { app, services, busy: new Set<string>() }
  const { minimalBytes, smallBytes, listBytes } = limits.sync.message
  answerAt(at, { path: '/sync/join', from: invited, schema: Join, most: smallBytes }, (given) => join(services, given))
  answerAt(at, { path: '/sync/challenge', from: enrolled, schema: Nothing, most: minimalBytes }, async ({ asker }) => ({
    challenge: newChallenge(asker.peer, challengeHere(services)),
  }))
  answerAt(at, { path: '/sync/hello', from: greeting, schema: Hello, most: smallBytes }, (given) => hello(services, given))
  answerAt(at, { path: '/sync/renew', from: numbered, schema: Renew, most: smallBytes }, (given) => renew(services, given))
  answerAt(at, { path: '/sync/pull', from: numbered, schema: Pull, most: smallBytes }, (given) => pull(services, given, news))
  answerAt(at, { path: '/sync/push', from: numbered, schema: Push, most: limits.sync.pageBytes, isPacked: true, isAlone: true }, (given) =>
    push(services, given),
  )
  answerAt(at, { path: '/sync/known', from: numbered, schema: KnownRowsQuery, most: listBytes, isPacked: true }, (given) =>
    known(services, given),
  )
  answerAt(at, { path: '/sync/verify', from: numbered, schema: Nothing, most: minimalBytes }, (given) => verify(services, given, digests))
  answerAt(at, { path: '/sync/files', from: inSession, schema: FileAsk, most: listBytes, isPacked: true }, ({ asker, asked }) =>
    answerFiles(services, asker.peer, asked),
  )
  answerAt(at, { path: '/sync/wiped', from: departing, schema: Wiped, most: minimalBytes }, ({ asker, asked }) =>
    services.store.write(asSystem(), async (tx) => {
      await noteWiped(tx, asker.peer.id, asked.asked_at)
      return {}
    }),
  )
  app.get(FILE_CONTENT, async (c) => {
    if (await isSilent(services.store, services.clock.now())) return c.notFound()
    c.set('route', FILE_CONTENT)
    demandNoOrigin(c.req.raw)
    return giveFile(services, c.req.raw)
  })
}

type Given<T> = { c: Ctx; asker: Child; asked: T }

function join(services: Services, { asker, asked }: { asker: Invited; asked: Join }): Promise<Joined> {
  const { store, config } = services
  const host = { nodeId: store.nodeId, kind: config.role, name: config.nodeName, keys: keysHere(services) } as const
  return store.write(asSystem(), (tx) => admit(tx, host, asker.invitation, asked))
}

const nameOfSchool = rowsBy('school', { id: 'id' }, { columns: ['name'] })

async function hello(services: Services, { asker, asked }: Given<Hello>): Promise<Welcome> {
  const greet = (before: string | null) => welcome(services, asker, before, asked)
  return withRenewal(
    services,
    () => greet(asker.peer.session_nonce),
    () => greet(null),
  )
}

/** `before`: the nonce of the session that the new one replaces; null for none. */
function welcome(services: Services, asker: Child, before: string | null, { protocol, node, now, cursor }: Hello): Promise<Welcome> {
  return services.store.write(asSystem(), async (tx) => {
    if (protocol < OLDEST_PROTOCOL) throw syncFailures.upgradeNeeded()
    // Read again under a lock: an earlier request of the child may have been under way until now, and counts.
    const peer = await peerHeld(tx, asker.peer.id)
    if (node !== peer?.node_id) throw syncFailures.unknownNode()
    if (isShutOut(peer)) throw syncFailures.revoked()
    if (peer.session_nonce !== before) throw syncFailures.staleSession()
    const set = { session_nonce: asker.nonce, session_number: 0, clock_offset: Math.round(now - tx.nowMs), last_seen_at: tx.now }
    await setPeer(tx, peer.id, set)
    await demandNotRestored(tx, services, peer, cursor)
    const { publicKey, boxKey } = keysHere(services)
    const [own] = await nameOfSchool(tx, { id: peer.school_id ?? '' })
    return {
      protocol: PROTOCOL,
      schema: SCHEMA_VERSION,
      epoch: services.store.nodeId,
      acknowledged: peer.own_seq,
      head: peer.history_head,
      now: tx.nowMs,
      school: peer.school_id as string,
      school_name: own?.name ?? peer.name,
      scope: (await scopeOf(tx, peer)).text,
      // A laptop that is to be wiped may not ask which rows are unknown.
      below: !isToBeWiped(peer) && (await isBelowFloor(tx, peer.school_id as string, services.store.nodeId, cursor)),
      above: (await parentOfSchool(tx, peer.school_id as string))?.node_id ?? null,
      wipe: isToBeWiped(peer) ? peer.wipe_asked_at : null,
      keys: { public_key: publicKey, box_key: boxKey },
    }
  })
}

/**
 * A child that begins anew becomes another peer with the same place. The earlier peer stays: it may be the original of a copied database.
 */
async function renew(services: Services, { asker, asked }: Given<Renew>): Promise<Renewed> {
  if (!isKey(asked.public_key, 'ed25519') || !isKey(asked.box_key, 'x25519')) throw syncFailures.badSignature()
  return services.store.write(asSystem(), async (tx) => {
    const peer = await countedIn(tx, asker)
    await lockedNode(tx, {})
    // A copy of that database, or the same one after a lost reply: nobody can tell, so the child takes another number.
    if (await childByNode(tx, asked.node)) throw syncFailures.nodeTaken()
    const { sync_peer } = tx.t
    const others: { name: string }[] = await tx.db
      .select({ name: sync_peer.name })
      .from(sync_peer)
      .where(eq(sync_peer.school_id, peer.school_id ?? ''))
    const id = tx.newId()
    const name = nameAnew(
      peer.name,
      others.map((other) => other.name),
    )
    const { node, public_key, box_key } = asked
    // A revocation and an order to wipe hold for the successor too.
    const { side, kind, school_id, user_id, revoked_at, wipe_asked_at } = peer
    await tx.local.insert(tx.t.sync_peer).values({
      ...NEW_PEER,
      side,
      kind,
      school_id,
      user_id,
      revoked_at,
      wipe_asked_at,
      id,
      name,
      node_id: node,
      public_key,
      box_key,
      enrolled_at: tx.now,
    })
    return { peer: id }
  })
}

async function push(services: Services, { asker, asked }: Given<Push>): Promise<Pushed> {
  const { pushRows, pageBytes } = limits.sync
  if (rowCountOf(asked.tables) > pushRows || weightOf(asked.tables) + weightOfHistory(asked.history) > pageBytes)
    throw syncFailures.tooLarge()
  const { store } = services
  const taken = withSingleWriter(store, () =>
    store.write(asSystem(), async (tx) => {
      const peer = await countedIn(tx, asker)
      return receive(tx, peer, { epoch: store.nodeId, keys: sealKeys(services, peer), log: refusalLogOf(services) }, asked)
    }),
  )
  return taken.catch((error: unknown) => {
    throw error instanceof QueueFull ? syncFailures.queueFull() : error
  })
}

const known = (services: Services, { asker, asked }: Given<KnownRowsQuery>) =>
  services.store.write(asSystem(), async (tx) => unknownOf(tx, await readerIn(tx, asker), asked))

/** The peer of a request that reads. Throws `sync.revoked` for a laptop that is to be wiped, which is told nothing more. */
async function readerIn(tx: WriteTx, asker: Child): Promise<Peer> {
  const peer = await countedIn(tx, asker)
  if (isToBeWiped(peer)) throw syncFailures.revoked()
  return peer
}

/** Digests of the rows here that the child should hold. */
async function verify(services: Services, { c, asker }: Given<unknown>, digests: ReturnType<typeof digestsInTurn>): Promise<Verified> {
  const peer = await services.store.write(asSystem(), (tx) => readerIn(tx, asker))
  const over = AbortSignal.any([c.req.raw.signal, services.jobs.stopping])
  return slotOf(c.env?.incoming).releasedDuring(() => digests(peer, over))
}

const sessionOver = async () => {
  throw syncFailures.staleSession()
}

/** Answers at once where there is something new, else as soon as there is, or after `wait` seconds with an empty page. */
async function pull(services: Services, { c, asker, asked }: Given<Pull>, news: ReturnType<typeof commitWaiters>): Promise<Page> {
  const { store } = services
  const begin = store.write(asSystem(), async (tx) => {
    // Saves the request's number and how far the child has read. This need not be durable: a request that is heard twice is answered twice,
    // and changes nothing.
    const [signed] = await Promise.all([readerIn(tx, asker), tx.dialect.hurry(tx.connection)])
    await demandNotRestored(tx, services, signed, asked.cursor)
    await heard(tx, store.nodeId, signed, asked.cursor)
    return { peer: signed, epoch: store.nodeId }
  })
  const { peer, epoch } = await withRenewal(services, () => begin, sessionOver)
  const slot = slotOf(c.env?.incoming)
  const until = performance.now() + asked.wait * 1_000
  // The wait ends when the child hangs up, or when this server stops.
  const over = AbortSignal.any([c.req.raw.signal, services.jobs.stopping])
  for (let hasWaited = false; ; hasWaited = true) {
    const told = news.next([peer.school_id as string], Math.max(0, until - performance.now()), over)
    // This node began anew meanwhile, so the child must greet first: a child that reads another epoch in a page sends everything again.
    if (store.nodeId !== epoch) throw syncFailures.staleSession()
    const page = await store.read(asSystem(), async (tx) => {
      if (hasWaited) await demandEnrolled(tx, peer.id)
      return nextPage(tx, peer, epoch, asked, sealKeys(services, peer))
    })
    if (page.tables.length > 0 || !page.is_last || page.cursor !== asked.cursor || performance.now() >= until || over.aborted) {
      told.forget()
      return page
    }
    // A request that waits takes no slot from others.
    await slot.releasedDuring(() => told.promise)
  }
}

/** Throws where the child was revoked while it waited. */
async function demandEnrolled(tx: ReadTx, id: string): Promise<void> {
  const peer = await peerById(tx, id)
  if (!peer || isShutOut(peer)) throw syncFailures.revoked()
  // The child greets again, and that reply has the order to wipe.
  if (isToBeWiped(peer)) throw syncFailures.staleSession()
}
