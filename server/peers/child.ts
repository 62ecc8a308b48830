import { COMMONS } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import { type Row, SCHEMA_VERSION } from '@markbook/shared/tables/tables'
import { type HistoryEntry, type Page, PROTOCOL, type Push, type RowAnswer, type Welcome } from '@markbook/sync/protocol/messages'
import { type Carried, packRows, unpackRows } from '@markbook/sync/protocol/page'
import { and, asc, desc, eq, gt, lte } from 'drizzle-orm'
import type { Services } from '../http/services.ts'
import { applyStates } from '../store/replica/apply.ts'
import { readFeed, readPeople, withPeople } from '../store/replica/feed.ts'
import { asSystem, type ReadTx, type WriteTx } from '../store/tx.ts'
import { version } from '../version.ts'
import { peerById } from './enrolment.ts'
import type { ParentLine } from './parent-line.ts'
import { prune } from './prune.ts'
import { keepRefused, takeRefusals } from './refusals.ts'
import { sealKeys } from './routes.ts'
import { resealed } from './secrets.ts'

type Peer = Row<'sync_peer'>

/**
 * A child's side of one parent, in the steps that the machine asks for (sync/machine.ts). Everything that must survive is in the
 * database: how far the parent has our feed, and how far we have theirs, each saved with the rows that it counts.
 */
export class Child {
  constructor(
    private readonly services: Services,
    private readonly peerId: string,
    private readonly line: ParentLine,
  ) {}

  /** True where this database was restored or cloned and must begin anew. */
  async greet(): Promise<{ anew: boolean }> {
    const { store, clock, config } = this.services
    const kind = config.databaseUrl ? 'centre' : 'school'
    const { own_epoch } = await store.read(asSystem(), (tx) => this.peer(tx))
    const node = own_epoch ?? store.nodeId
    const welcome = await this.line.hello({ protocol: PROTOCOL, schema: SCHEMA_VERSION, node, kind, version, now: clock.now() })
    // A database that was restored is a new node already, and says so with the keys of the old.
    if (node !== store.nodeId) return { anew: true }
    return store.write(asSystem(), async (tx) => {
      const peer = await this.peer(tx)
      if (await hasLost(tx, store.nodeId, peer, welcome)) return { anew: true }
      const isNewEpoch = peer.their_epoch !== welcome.epoch
      await this.save(tx, {
        their_epoch: welcome.epoch,
        // What its database of before had sent is not left out of what it gets now.
        node_id: welcome.epoch,
        their_cursor: isNewEpoch ? null : peer.their_cursor,
        // A parent that was restored has less of us than it said, and gets everything again. One that says more has answered what never
        // came: it is asked again, for among the answers may be refusals.
        own_seq: isNewEpoch ? 0 : Math.min(peer.own_seq, welcome.acknowledged),
        own_people: isNewEpoch ? 0 : peer.own_people,
        clock_offset: Math.round(clock.now() - welcome.now),
        last_seen_at: tx.now,
      })
      return { anew: false }
    })
  }

  /** Sends the next of what was written here and the parent has not acknowledged. */
  async push(): Promise<{ more: boolean }> {
    const peer = await this.services.store.read(asSystem(), (tx) => this.peer(tx))
    const { page, push } = await this.pageAfter(peer)
    if (page.to === peer.own_seq && page.people === peer.own_people) return { more: false }
    if (page.rows.length + push.history.length === 0) {
      // All of it came from the parent itself.
      await this.services.store.write(asSystem(), (tx) => this.save(tx, { own_seq: page.to, own_people: page.people }))
      return { more: !page.isLast }
    }
    const pushed = await this.line.push(push)
    await this.takeAnswers(peer, pushed.answers, page)
    return { more: !page.isLast }
  }

  /** What was written here after the numbers of `peer`, as it is sent. `whole`: also what came from the parent itself. */
  async pageAfter(peer: Peer, { whole = false } = {}): Promise<{ page: News; push: Push }> {
    const { store } = this.services
    const { page, history } = await store.read(asSystem(), async (tx) => {
      const page = await ownNews(tx, whole ? { ...peer, node_id: COMMONS } : peer)
      return { page, history: await ownHistory(tx, store.nodeId, peer, page.to) }
    })
    const { own, shared } = sealKeys(this.services, peer)
    const tables = packRows(resealed(page.rows, own, shared))
    return { page, push: { from: peer.own_seq, to: page.to, cursor: peer.their_cursor, tables, history } }
  }

  async takeAnswers(peer: Peer, answers: readonly RowAnswer[], { to, people }: Pick<News, 'to' | 'people'>): Promise<void> {
    const { store } = this.services
    const school = peer.school_id as string
    const refused = answers.filter(({ outcome }) => outcome === 'refused' || outcome === 'conflict')
    await store.write(asSystem(), async (tx) => {
      await keepRefused(tx, school, refused)
      const theirs = unpackRows(answers.flatMap((answer) => answer.theirs ?? [])).rows
      const { own, shared } = sealKeys(this.services, peer)
      await applyStates(tx, school, resealed(theirs, shared, own), { source: peer.node_id })
    })
    // Together: what was refused and is not kept yet would never be answered again.
    await store.write(asSystem(), async (tx) => {
      if (refused.length > 0) await takeRefusals(tx, { node: store.nodeId, sent: to }, school, refused)
      await this.save(tx, { own_seq: to, own_people: people, last_seen_at: tx.now })
    })
  }

  /** The parent's next page into this database, together with the place where it ends. */
  async pull(wait: number, signal?: AbortSignal): Promise<{ news: boolean; more: boolean; page: Page }> {
    const { store } = this.services
    const peer = await store.read(asSystem(), (tx) => this.peer(tx))
    const page = await this.line.pull({ cursor: peer.their_cursor, wait, scope: peer.scope }, signal)
    await this.takePage(peer, page)
    if (page.is_last && peer.user_id !== null) await store.write(asSystem(), async (tx) => prune(tx, store.nodeId, await this.peer(tx)))
    return { news: page.tables.length > 0, more: !page.is_last, page }
  }

  /** `from`: where the page was asked from. Where this node has come elsewhere meanwhile, the rows count and the place does not. */
  async takePage(peer: Peer, page: Page, from: string | null = peer.their_cursor): Promise<void> {
    const { rows } = unpackRows(page.tables)
    const { own, shared } = sealKeys(this.services, peer)
    await this.services.store.write(asSystem(), async (tx) => {
      await applyStates(tx, peer.school_id as string, resealed(rows, shared, own), { source: peer.node_id })
      const { their_cursor } = await this.peer(tx)
      const place = their_cursor === from ? { their_cursor: page.cursor, their_epoch: page.epoch, scope: page.scope } : {}
      await this.save(tx, { ...place, last_seen_at: tx.now })
    })
  }

  /** Everything again, both ways, whatever the stored places say; they stay (SPEC, «The wire»). After `greet`. */
  async mergeAll(): Promise<void> {
    const { store } = this.services
    const peer = await store.read(asSystem(), (tx) => this.peer(tx))
    for (let cursor: string | null = null, isLast = false; !isLast; ) {
      const page = await this.line.pull({ cursor, wait: 0, scope: peer.scope })
      await this.takePage(peer, page, NOWHERE)
      cursor = page.cursor
      isLast = page.is_last
    }
    for (let place: Sent = { own_seq: 0, own_people: 0 }, isLast = false; !isLast; ) {
      const { page, push } = await this.pageAfter({ ...peer, ...place }, { whole: true })
      const { answers } = await this.line.push(push)
      await this.takeAnswers(peer, answers, page)
      place = { own_seq: page.to, own_people: page.people }
      isLast = page.isLast
    }
  }

  private async peer(tx: ReadTx): Promise<Peer> {
    const peer = await peerById(tx, this.peerId)
    if (!peer) throw new Error('the parent is no longer known')
    return peer
  }

  private save(tx: WriteTx, set: Partial<Peer>): Promise<unknown> {
    const { sync_peer } = tx.t
    return Promise.resolve(tx.local.update(tx.t.sync_peer).set(set).where(eq(sync_peer.id, this.peerId)))
  }
}

/** The parent has seen more of this node than there is here, or another history at the same number. */
async function hasLost(tx: ReadTx, nodeId: string, peer: Peer, { acknowledged, head }: Welcome): Promise<boolean> {
  const feed = await tx.dialect.feedOf(tx.line, peer.school_id as string)
  if (acknowledged > feed.seq) return true
  if (head === null) return false
  const { history } = tx.t
  const [last] = await tx.db
    .select({ head: history.head })
    .from(history)
    .where(and(eq(history.school_id, peer.school_id as string), eq(history.node_id, nodeId), lte(history.node_seq, acknowledged)))
    .orderBy(desc(history.node_seq))
    .limit(1)
  return last?.head !== head
}

type Sent = Pick<Peer, 'own_seq' | 'own_people'>
/** No cursor is this one. */
const NOWHERE = ''
export type News = { rows: Carried[]; to: number; people: number; isLast: boolean }

/** Rows of the school since the acknowledged number, with the people whom they name and those who changed. A laptop's is one person's. */
async function ownNews(tx: ReadTx, peer: Peer): Promise<News> {
  const school = peer.school_id as string
  const limit = limits.sync.pageRows
  const secrets = peer.user_id === null
  const own = await readFeed(tx, school, { after: peer.own_seq, limit, notFrom: peer.node_id })
  const people = await readPeople(tx, school, { after: peer.own_people, limit, secrets })
  const named = secrets ? await withPeople(tx, own.rows, { secrets }) : own.rows
  const rows = [...new Map([...people.rows, ...named].map((row) => [`${row.table}:${row.state.id}`, row])).values()]
  return { rows, to: own.to, people: people.to, isLast: own.isLast && people.isLast }
}

async function ownHistory(tx: ReadTx, nodeId: string, peer: Peer, to: number): Promise<HistoryEntry[]> {
  const { history } = tx.t
  const entries = await tx.db
    .select()
    .from(history)
    .where(
      and(
        eq(history.school_id, peer.school_id as string),
        eq(history.node_id, nodeId),
        gt(history.node_seq, peer.own_seq),
        lte(history.node_seq, to),
      ),
    )
    .orderBy(asc(history.node_seq))
  return entries.map(({ school_id: _, seq: __, changes, ...entry }) => ({ ...entry, changes: JSON.stringify(changes) }))
}
