import { toInstant } from '@markbook/shared/clock'
import { entriesOf, type HistoryEntry } from '@markbook/sync/protocol/entries'
import { FileTable } from '@markbook/sync/protocol/files'
import type { RowAnswer } from '@markbook/sync/protocol/messages'
import { rowCountOf, type Sheet } from '@markbook/sync/protocol/sheet'
import { and, desc, eq, inArray, lte } from 'drizzle-orm'
import type { Services } from '../../http/services.ts'
import { type Peer, setPeer } from '../../store/peer-row.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'
import { nextPage } from '../downstream/pages.ts'
import { receive } from '../downstream/receive.ts'
import { type FileRowRef, packForChild, packForParent, unpackFromChild, unpackFromParent } from '../files/by-hand.ts'
import { peerById, peerHeld } from '../identity/enrolment.ts'
import { keysHere, sealKeys } from '../identity/own-keys.ts'
import { isToBeWiped } from '../identity/wipe.ts'
import { withSingleWriter } from '../incarnation/duplicate-number.ts'
import { keysOfEnrolment } from '../incarnation/incarnation.ts'
import { DatabaseRestored, demandNotRestored } from '../incarnation/restored.ts'
import { refusalLogOf } from '../issues/refusal-log.ts'
import { ParentLine } from '../line/parent-line.ts'
import { Child } from '../upstream/child.ts'
import { Down, filesIn, type Head, headOf, readHead, Up, unwrap, wrap } from './bundle.ts'

type Own = Pick<Services, 'store' | 'config' | 'clock' | 'keys' | 'files' | 'uploads'>

const noLine = async () => {
  throw new Error('this goes by hand')
}
const childOf = (services: Own, peer: Peer) =>
  new Child(services as Services, peer.id, new ParentLine(peer, keysOfEnrolment(services, peer), noLine))

type Exported = { bundle: Buffer; rows: number; files: number }
/**
 * What the parent has not acknowledged, as a bundle to carry to it. `all`: everything, where something is missing there. Throws where this
 * database must first meet the parent over a line.
 */
export async function exportUp(services: Own, parent: Peer, { all = false } = {}): Promise<Exported> {
  const { store, clock } = services
  const peer = all ? { ...parent, own_seq: 0, own_people: 0 } : parent
  if ((peer.own_epoch ?? store.nodeId) !== store.nodeId)
    throw new Error(
      `This database was restored or copied. It must meet ${parent.name} once over a line, if only for some minutes, before a bundle can be made (operators’ guide, «Replication», «No line at all»).`,
    )
  const head = await store.read(asSystem(), (tx) => headAt(tx, peer, store.nodeId, peer.own_seq))
  const child = childOf(services, peer)
  const pages: Up['pages'] = []
  for (let at = peer, isLast = false; !isLast; ) {
    const { page, push } = await child.pageAfter(at, { whole: all })
    if (page.to > at.own_seq || page.people > at.own_people) pages.push({ push, people: page.people })
    at = { ...at, own_seq: page.to, own_people: page.people }
    isLast = page.isLast
  }
  const { id, school_id, their_cursor, scope } = peer
  const made_at = toInstant(clock.now())
  const place = { peer: id, node: store.nodeId, school: school_id as string, made_at, cursor: all ? null : their_cursor, scope, head }
  const { packed, wants } = await packForParent(services, parent, { all })
  const sealing = { keys: keysHere(services), shared: sealKeys(services, peer).shared }
  const bundle = wrap(headOf({ direction: 'up', ...place }), { pages, wants }, packed, sealing)
  return { bundle, rows: pages.reduce((sum, { push }) => sum + rowCountOf(push.tables), 0), files: packed.length }
}

export type BundleResult = {
  direction: 'up' | 'down'
  from: string
  rows: number
  files: number
  refused: number
  held: number
  receipt: Buffer | null
}

/**
 * Takes a bundle in, in either direction; doing it again changes nothing. For a bundle from a child it returns the receipt to carry back.
 * Throws where the bundle is not for this server.
 */
export async function importBundle(services: Own & Pick<Services, 'log'>, bytes: Buffer): Promise<BundleResult> {
  const head = readHead(bytes)
  const peer = await services.store.read(asSystem(), (tx) => peerById(tx, head.peer))
  const side = head.direction === 'up' ? 'child' : 'parent'
  if (peer && head.node === services.store.nodeId)
    throw new Error(`This bundle was written by this server. It is for ${peer.name}: carry it there, and bring back what is written there.`)
  if (peer?.side !== side || peer.school_id !== head.school)
    throw new Error('This bundle is not for this server: it comes from one that is not enrolled here.')
  if (peer.revoked_at) throw new Error(`${peer.name} was revoked; what it sends is not taken.`)
  if (isToBeWiped(peer))
    throw new Error(`${peer.name} is to be erased, and must meet this server over a line for that. It gets nothing by stick.`)
  return head.direction === 'up' ? importUp(services, peer, head, bytes) : importDown(services, peer, head, bytes)
}

async function importUp(services: Own & Pick<Services, 'log'>, peer: Peer, head: Head, bytes: Buffer): Promise<BundleResult> {
  const { store, clock } = services
  const keys = sealKeys(services, peer)
  const { pages, files, wants } = unwrap(bytes, peer, keys.shared, Up)
  if (head.node !== peer.node_id) throw new Error(`${peer.name} has begun anew since this bundle was made. Make another one there.`)
  await store.read(asSystem(), async (tx) => {
    await demandNotRestored(tx, services, peer, head.cursor).catch(refusePutBack)
    await demandSameHistory(tx, peer, head, pages)
  })
  const answers: Down['answers'] = []
  for (const { push, people } of pages) {
    const pushed = await withSingleWriter(store, () =>
      store.write(asSystem(), async (tx) => {
        const before = (await peerHeld(tx, peer.id)) as Peer
        const answer = await receive(tx, before, { epoch: store.nodeId, keys, log: refusalLogOf(services) }, push)
        if (before.own_seq > push.to) await keepPlace(tx, before)
        return answer
      }),
    )
    answers.push({ to: push.to, people, answers: pushed.answers })
  }
  const news: Down['pages'] = []
  for (let asked = { cursor: head.cursor, scope: head.scope }, isLast = false; !isLast; ) {
    const page = await store.read(asSystem(), (tx) => nextPage(tx, peer, store.nodeId, asked, keys))
    news.push(page)
    asked = { cursor: page.cursor, scope: page.scope }
    isLast = page.is_last
  }
  const brought = await unpackFromChild(services, peer, filesIn(bytes, peer, files, keys.shared))
  const packed = await packForChild(services, peer, [...wants, ...news.flatMap(({ tables }) => rowsWithFiles(tables))])
  const { cursor, scope, school } = head
  const made_at = toInstant(clock.now())
  const place = { peer: peer.id, node: store.nodeId, school, made_at, cursor, scope, head: null }
  const content = { answers, pages: news, taken: brought }
  const receipt = wrap(headOf({ direction: 'down', ...place }), content, packed, { keys: keysHere(services), shared: keys.shared })
  const rows = pages.reduce((sum, { push }) => sum + rowCountOf(push.tables), 0)
  return { ...taken('up', peer, answers), rows, files: brought.length, receipt }
}

/** Another process may serve this database, and it alone can begin anew. */
function refusePutBack(error: unknown): never {
  if (!(error instanceof DatabaseRestored)) throw error
  throw new Error(
    `This database was put back to an earlier state, and not by markbook restore: the bundle shows it. ${error.child.name} must meet this server once over a line, by which it begins anew.`,
  )
}

async function importDown(services: Own, peer: Peer, head: Head, bytes: Buffer): Promise<BundleResult> {
  const { shared } = sealKeys(services, peer)
  const { answers, pages, files, taken: given } = unwrap(bytes, peer, shared, Down)
  const child = childOf(services, peer)
  for (const { to, people, answers: own } of answers) {
    const now = (await services.store.read(asSystem(), (tx) => peerById(tx, peer.id))) as Peer
    // What was answered over the line meanwhile is not taken again.
    if (to > now.own_seq || people > now.own_people) await child.takeAnswers(now, own, { to, people })
  }
  let from = head.cursor
  for (const page of pages) {
    await child.takePage(peer, page, { from, byHand: true })
    from = page.cursor
  }
  const came = await unpackFromParent(services, peer, filesIn(bytes, peer, files, shared), given)
  const rows = pages.reduce((sum, { tables }) => sum + rowCountOf(tables), 0)
  return { ...taken('down', peer, answers), rows, files: came.length, receipt: null }
}

const rowsWithFiles = (sheets: readonly Sheet[]): FileRowRef[] =>
  sheets.flatMap(({ table, ids }) => {
    const known = FileTable.safeParse(table)
    return known.success ? ids.map((id) => ({ table: known.data, id })) : []
  })

const taken = (direction: 'up' | 'down', { name }: Peer, answers: Down['answers']) => {
  const all: RowAnswer[] = answers.flatMap((each) => each.answers)
  const count = (...outcomes: string[]) => all.filter(({ outcome }) => outcomes.includes(outcome)).length
  return { direction, from: name, refused: count('refused', 'conflict'), held: count('held') }
}

/** A bundle that is older than what came over the line does not set the child's place back. */
async function keepPlace(tx: Parameters<typeof receive>[0], { id, own_seq, highest_counter, history_head }: Peer): Promise<void> {
  await setPeer(tx, id, { own_seq, highest_counter, history_head })
}

/**
 * Throws where an earlier bundle of the child has not come here, and where a copy of the child's database made this one: a copy uses the
 * same numbers for other writes (SPEC, «Incarnations») and has another history.
 */
async function demandSameHistory(tx: ReadTx, peer: Peer, { head }: Head, pages: Up['pages']): Promise<void> {
  const [first] = pages
  if (!first) return
  const known = await headAt(tx, peer, peer.node_id, first.push.from)
  const entries: HistoryEntry[] = pages
    .flatMap(({ push }) => entriesOf(push.history))
    .filter(({ node_id, node_seq }) => node_id === peer.node_id && node_seq <= peer.own_seq)
  const { history } = tx.t
  const last = entries.slice(-1).map(({ id }) => id)
  const found = await tx.db
    .select({ id: history.id })
    .from(history)
    .where(and(eq(history.school_id, peer.school_id as string), inArray(history.id, last)))
  if (known !== head) throw new Error(`An earlier bundle of ${peer.name} has not come here. Make this one again there with --all.`)
  if (found.length !== last.length)
    throw new Error(`This bundle was made by a copy of ${peer.name}. Let that copy meet this server once over the line.`)
}

/** The head of a node's history at a counter, as this database has it. */
async function headAt(tx: ReadTx, { school_id }: Peer, node: string, seq: number): Promise<string | null> {
  const { history } = tx.t
  const [last] = await tx.db
    .select({ head: history.head })
    .from(history)
    .where(and(eq(history.school_id, school_id as string), eq(history.node_id, node), lte(history.node_seq, seq)))
    .orderBy(desc(history.node_seq))
    .limit(1)
  return last?.head ?? null
}
