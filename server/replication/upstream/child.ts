import { setImmediate } from 'node:timers/promises'
import { COMMONS } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'
import type { Row } from '@markbook/shared/tables/tables'
import { textToCursor } from '@markbook/sync/protocol/cursor'
import { entriesOf, packEntries } from '@markbook/sync/protocol/entries'
import { type Page, PROTOCOL, type Pull, type Push, type RowAnswer, type Welcome } from '@markbook/sync/protocol/messages'
import { type Carried, packRows, unpackRows } from '@markbook/sync/protocol/page'
import type { Services } from '../../http/services.ts'
import { incarnations } from '../../store/node.ts'
import { setPeer } from '../../store/peer-row.ts'
import { applyStates } from '../../store/replica/apply.ts'
import { asSystem, type ReadTx, type WriteTx } from '../../store/tx.ts'
import { version } from '../../version.ts'
import type { NamedFile } from '../files/named.ts'
import { lookAgain } from '../files/queue.ts'
import { parentsOf, peerById } from '../identity/enrolment.ts'
import { nodeKeys } from '../identity/keys.ts'
import { sealKeys } from '../identity/own-keys.ts'
import { heardKeys } from '../identity/parent-keys.ts'
import { isParentRestored, resendToFirst, sentUpTo } from '../identity/parent-state.ts'
import { isObeyed } from '../identity/wipe.ts'
import { demandSingleWriter } from '../incarnation/duplicate-number.ts'
import { demandOwnNumber, hasLost } from '../incarnation/number.ts'
import { underOwnNumber } from '../incarnation/own-number.ts'
import { settleAnswered, watchRefused } from '../issues/kept-elsewhere.ts'
import { keepRefused, ofOwn, takeRefusals } from '../issues/refusals.ts'
import { entriesForParent, takeEntries } from '../journal/history-exchange.ts'
import { LineFailure, type ParentLine, TOO_LARGE } from '../line/parent-line.ts'
import { type Agreed, approveAgreed, awaitsPerson, keepAwaiting, sendAgreed } from '../scope/consent.ts'
import { heardBy } from '../scope/forgotten.ts'
import { dropUnknown } from '../scope/missed-deletions.ts'
import { letBooksGo } from '../scope/moved-books.ts'
import { announceSecrets } from '../scope/people.ts'
import { resealed } from '../scope/secrets.ts'
import { forwardSigned } from './forward-signed.ts'
import { type News, pendingRows } from './pending-rows.ts'
import { prune } from './prune.ts'

type Peer = Row<'sync_peer'>
type Coming = { from?: string | null; byHand?: boolean }
type Outgoing = { page: News; push: Push; rows: readonly Carried[] }

/** What this program says of itself. */
export type Program = { protocol: number; schema: number }

/**
 * A child's side of one parent, in the steps that the machine asks for (sync/machine.ts). Everything that must survive is in the
 * database: how far the parent has our feed, and how far we have theirs, each saved with the rows that it counts.
 */
export class Child {
  /** What the parent said that it has of our feed. It is told once where we are, so that the next greeting begins there. */
  private acknowledged = Number.MAX_SAFE_INTEGER
  private ahead: { cursor: string; scope: string; page: Promise<Page> } | null = null

  constructor(
    private readonly services: Services,
    private readonly peerId: string,
    private readonly line: ParentLine,
    private readonly program: Program = { protocol: PROTOCOL, schema: SCHEMA_VERSION },
  ) {}

  /**
   * `anew`: this database was restored or cloned and must begin anew. `wipe`: when its school asked that this laptop be erased; null where
   * nobody did, or nobody whom it heeds.
   */
  async greet(signal?: AbortSignal): Promise<{ anew: boolean; wipe: string | null }> {
    const { store, clock, config } = this.services
    const kind = config.role
    const before = await store.read(asSystem(), (tx) => this.peer(tx))
    const node = before.own_epoch ?? store.nodeId
    const cursor = before.their_cursor
    const { protocol, schema } = this.program
    const hello = (as: string) => this.line.hello({ protocol, schema, node: as, kind, version, now: clock.now(), cursor }, signal)
    this.line.speakAs(null)
    this.ahead = null
    const welcome = await hello(node).catch((error: unknown) => this.greetAsFormer(error, hello))
    if (welcome.below && welcome.epoch === before.their_epoch) await dropUnknown(store, before, this.line.known)
    // A database that was restored is a new node already, and says so with the keys of the old.
    if (node !== store.nodeId || this.line.isKnownAsFormer) return { anew: true, wipe: null }
    this.acknowledged = welcome.acknowledged
    return store.write(asSystem(), async (tx) => {
      const peer = await this.peer(tx)
      if (await hasLost(tx, store.nodeId, peer, welcome)) {
        // The parent knows better than this database what both have in common.
        await this.save(tx, { own_seq: Math.min(peer.own_seq, welcome.acknowledged) })
        return { anew: true, wipe: null }
      }
      const isNewEpoch = peer.their_epoch !== welcome.epoch
      // What one of the two programs did not know until now passed by: everything is told again, both ways.
      const schema = Math.min(this.program.schema, welcome.schema)
      const isAgain = isNewEpoch || schema > peer.schema
      await this.save(tx, {
        their_epoch: welcome.epoch,
        // What its database of before had sent is not left out of what it gets now.
        node_id: welcome.epoch,
        ...heardKeys(welcome.keys),
        schema,
        their_cursor: isAgain ? null : peer.their_cursor,
        // A parent that was restored has less of us than it said, and gets everything again. One that says more has answered what never
        // came: it is asked again, for among the answers may be refusals.
        own_seq: isAgain || (await isParentRestored(tx, peer, welcome.above)) ? 0 : Math.min(peer.own_seq, welcome.acknowledged),
        own_people: isAgain ? 0 : peer.own_people,
        clock_offset: Math.round(clock.now() - welcome.now),
        last_seen_at: tx.now,
      })
      if (isNewEpoch && peer.their_epoch !== null) await resendToFirst(tx, peer)
      if (isNewEpoch) await forwardSigned(tx, peer)
      return { anew: false, wipe: welcome.wipe !== null && (await isObeyed(tx, this.services, peer)) ? welcome.wipe : null }
    })
  }

  /** A parent that was restored may not know this enrolment, but one before it, of which this database has the keys. */
  private async greetAsFormer(error: unknown, hello: (as: string) => Promise<Welcome>): Promise<Welcome> {
    if (!(error instanceof LineFailure) || error.code !== 'sync.unknown_node') throw error
    const { store, config } = this.services
    for (const former of await store.read(asSystem(), incarnations)) {
      this.line.speakAs({ peer: former, keys: nodeKeys(config.sessionSecret, former) })
      const welcome = await hello(former).catch((again: unknown) => {
        if (!(again instanceof LineFailure) || again.code !== 'sync.unknown_node') throw again
      })
      if (welcome) return welcome
    }
    throw error
  }

  /** Sends the next of what was written here and the parent has not acknowledged. */
  async push(): Promise<{ more: boolean }> {
    const peer = await this.services.store.read(asSystem(), (tx) => this.peer(tx))
    const { page, push, rows } = await this.pageAfter(peer)
    if (page.to === peer.own_seq && page.people === peer.own_people) return { more: false }
    if (page.rows.length + push.history.count === 0 && !(page.isLast && page.to > this.acknowledged)) {
      // All of it came from the parent itself.
      await this.services.store.write(asSystem(), (tx) => this.save(tx, { own_seq: page.to, own_people: page.people }))
      return { more: !page.isLast }
    }
    const answers = await this.say(push, rows)
    this.acknowledged = Number.MAX_SAFE_INTEGER
    await this.takeAnswers(peer, answers, page)
    return { more: !page.isLast }
  }

  /**
   * What was written here after the numbers of `peer`, as it is sent, and the rows in it. `whole`: also what came from the parent itself;
   * `upTo`: it was sent before, with its history.
   */
  async pageAfter(peer: Peer, { whole = false, upTo }: { whole?: boolean; upTo?: number } = {}): Promise<Outgoing> {
    const { store } = this.services
    const { own, shared, secret } = sealKeys(this.services, peer)
    const { page, history } = await store.read(asSystem(), async (tx) => {
      const page = await pendingRows(tx, whole ? { ...peer, node_id: COMMONS } : peer, upTo)
      return { page, history: upTo === undefined ? await entriesForParent(tx, { peer, secret }, page) : [] }
    })
    const rows = resealed(page.rows, own, shared)
    const push = { from: peer.own_seq, to: page.to, cursor: peer.their_cursor, tables: packRows(rows), history: packEntries(history) }
    return { page, push, rows }
  }

  /**
   * Sends a page, in parts where it is one transaction of more than a parent takes at once. The first bears the history, which the parent
   * knows the child by; until the last is answered nothing is saved here, so that all are sent again. What lives comes before what is
   * deleted, parents before children and then children before parents: no part leaves what the next takes away.
   */
  private async say(push: Push, rows: readonly Carried[], signal?: AbortSignal): Promise<RowAnswer[]> {
    const whole = await this.sayAtOnce(push, rows, signal)
    const isThere = ({ state }: Carried) => state.alive.length > 0
    const inOrder = () => [...rows.filter(isThere), ...rows.filter((row) => !isThere(row)).reverse()]
    return whole ?? this.sayInParts(push, inOrder(), signal)
  }

  /** Null where it is too large. */
  private async sayAtOnce(push: Push, rows: readonly Carried[], signal?: AbortSignal): Promise<RowAnswer[] | null> {
    if (rows.length > limits.sync.pushRows) return null
    try {
      return (await this.line.push(push, signal)).answers
    } catch (error) {
      if (error instanceof LineFailure && error.code === TOO_LARGE && rows.length > 1) return null
      throw error
    }
  }

  private async sayInParts(push: Push, rows: readonly Carried[], signal?: AbortSignal): Promise<RowAnswer[]> {
    const half = Math.ceil(rows.length / 2)
    const answers: RowAnswer[] = []
    for (const [own, history] of [
      [rows.slice(0, half), push.history],
      [rows.slice(half), packEntries([])],
    ] as const) {
      const part = { ...push, tables: packRows(own), history }
      answers.push(...((await this.sayAtOnce(part, own, signal)) ?? (await this.sayInParts(part, own, signal))))
    }
    return answers
  }

  async takeAnswers(peer: Peer, answers: readonly RowAnswer[], { to, people }: Pick<News, 'to' | 'people'>): Promise<void> {
    const { store } = this.services
    const school = peer.school_id as string
    const all = answers.filter(({ outcome }) => outcome === 'refused' || outcome === 'conflict')
    const final = all.filter((answer) => !awaitsPerson(answer))
    const first = await this.firstParent(peer)
    const isFirst = first.id === peer.id
    const refused = isFirst ? final : await store.read(asSystem(), (tx) => ofOwn(tx, { node: store.nodeId, first }, final))
    await underOwnNumber(store, async (tx) => {
      await keepRefused(tx, { ...peer, isFirst, own: store.nodeId }, refused)
      await keepAwaiting(tx, school, all)
      const theirs = unpackRows(answers.flatMap((answer) => answer.theirs ?? [])).rows
      await demandOwnNumber(tx, school, store.nodeId, theirs)
      const { own, shared } = sealKeys(this.services, peer)
      const settle = await watchRefused(tx, peer, theirs)
      await applyStates(tx, school, resealed(theirs, shared, own), { source: peer.node_id })
      await settle(refused)
    })
    // Together: what was refused and is not kept yet would never be answered again.
    await store.write(asSystem(), async (tx) => {
      if (isFirst && refused.length > 0)
        await takeRefusals(tx, { node: store.nodeId, isLaptop: peer.user_id !== null, sent: to }, school, refused)
      if (isFirst && peer.user_id !== null) await settleAnswered(tx, peer, { to, people })
      await this.save(tx, { own_seq: to, own_people: people, last_seen_at: tx.now })
    })
  }

  /** The parent's next page into this database, together with the place where it ends. `sent`: of a laptop, what the parent had before. */
  async pull(wait: number, signal?: AbortSignal): Promise<{ news: boolean; more: boolean; page: Page; sent: number }> {
    const { store } = this.services
    const { peer, sent } = await store.read(asSystem(), async (tx) => {
      const peer = await this.peer(tx)
      return { peer, sent: peer.user_id === null ? 0 : await sentUpTo(tx, peer) }
    })
    const page = await this.nextPage({ cursor: peer.their_cursor, wait, scope: peer.scope }, signal)
    await this.takePage(peer, page)
    // What the first parent has lost it gets at its next greeting, and another may not know it.
    if (page.is_last && peer.user_id !== null && (await this.firstParent(peer)).id === peer.id) {
      let left: NamedFile[] = []
      const pruned = underOwnNumber(store, async (tx) => {
        left = await prune(tx, store.nodeId, await this.peer(tx))
      })
      await pruned.finally(async () => {
        for (const { bucket, path } of left) await this.services.files.remove(bucket, path)
      })
    }
    return { news: page.tables.length > 0, more: !page.is_last, page, sent }
  }

  /** While a page of a large copy is written here, the parent reads the next one. */
  private async nextPage(asked: Pull, signal?: AbortSignal): Promise<Page> {
    const { ahead } = this
    this.ahead = null
    const page = await (ahead?.cursor === asked.cursor && ahead.scope === asked.scope ? ahead.page : this.line.pull(asked, signal))
    // Only there: whoever asks with a place in the feed says that it has all before it.
    if (isCopying(page) && (page.total ?? 0) > limits.sync.pageRows) {
      const next = { cursor: page.cursor, scope: page.scope }
      this.ahead = { ...next, page: this.line.pull({ ...next, wait: 0 }) }
      this.ahead.page.catch(() => {})
      // What is written next keeps the process busy: the question goes out first.
      await setImmediate()
    }
    return page
  }

  /**
   * `from`: where the page was asked from. Where this node has come elsewhere meanwhile, the rows count and the place does not.
   * `byHand`: it came on a stick, and there is nobody to whom another number could be told.
   */
  async takePage(peer: Peer, page: Page, { from = peer.their_cursor, byHand = false }: Coming = {}): Promise<void> {
    const { rows } = unpackRows(page.tables)
    const history = entriesOf(page.history)
    const { own, shared } = sealKeys(this.services, peer)
    let agreed: Agreed[] = []
    await underOwnNumber(this.services.store, async (tx) => {
      await demandSingleWriter(tx, peer.school_id as string, history, null)
      await demandOwnNumber(tx, peer.school_id as string, this.services.store.nodeId, rows)
      if (page.copied !== null) await tx.dialect.awaitMore(tx.connection, isCopying(page))
      const settle = await watchRefused(tx, peer, rows)
      await applyStates(tx, peer.school_id as string, resealed(rows, shared, own), { source: peer.node_id, fromParent: true })
      await settle([])
      if (peer.user_id === null) {
        await announceSecrets(tx, rows, peer.node_id)
        agreed = await sendAgreed(tx, peer.school_id as string, rows)
      }
      await takeEntries(tx, peer.school_id as string, history, peer.node_id)
      const now = await this.peer(tx)
      const { nodeId } = this.services.store
      const leaving = { heard: heardBy(nodeId, now), node: byHand ? null : nodeId }
      if (peer.user_id) await letBooksGo(tx, peer.school_id as string, page.left ?? [], leaving)
      const place = now.their_cursor === from ? { their_cursor: page.cursor, their_epoch: page.epoch, scope: page.scope } : {}
      await this.save(tx, { ...place, last_seen_at: tx.now })
    })
    if (agreed.length > 0) await this.services.store.write(asSystem(), (tx) => approveAgreed(tx, agreed))
  }

  /** Everything again, both ways, whatever the stored places say; they stay (SPEC, «Comparing»). After `greet`. */
  async mergeAll(): Promise<void> {
    while ((await this.push()).more);
    for (let place: MergePlace | null = MERGE_START; place; ) place = await this.mergeOn(place)
  }

  /**
   * The next page of that, down first, and where it ends; null after the last. Up goes only what the parent has acknowledged, so that
   * no place and no history has to be told again: what it has not goes by the ordinary way. Of a laptop only its own: nobody takes more.
   */
  async mergeOn(at: MergePlace, signal?: AbortSignal): Promise<MergePlace | null> {
    const { store } = this.services
    const peer = await store.read(asSystem(), (tx) => this.peer(tx))
    if (at.way === 'down') {
      if (at.cursor === null) await store.write(asSystem(), (tx) => lookAgain(tx, this.peerId))
      // A scope that has changed begins the copy anew, once.
      const page = await this.line.pull({ cursor: at.cursor, scope: at.scope ?? peer.scope, wait: 0 }, signal)
      await this.takePage(peer, page, { from: NOWHERE })
      if (!page.is_last) return { way: 'down', cursor: page.cursor, scope: page.scope }
      return { way: 'up', own_seq: 0, own_people: 0 }
    }
    const { own_seq, own_people } = peer
    if (at.own_seq >= own_seq && at.own_people >= own_people) return null
    const { page, push, rows } = await this.pageAfter({ ...peer, ...at }, { whole: peer.user_id === null, upTo: own_seq })
    const answers = await this.say({ ...push, from: own_seq, to: own_seq }, rows, signal)
    await this.takeAnswers(peer, answers, { to: own_seq, people: own_people })
    if (page.to >= own_seq && page.people >= own_people) return null
    return { way: 'up', own_seq: page.to, own_people: page.people }
  }

  /** What stands at the first parent stands here. From another a laptop may hear later of what the first has long sent. */
  private async firstParent(peer: Peer): Promise<Peer> {
    const [first] = await this.services.store.read(asSystem(), parentsOf)
    return first ?? peer
  }

  private async peer(tx: ReadTx): Promise<Peer> {
    const peer = await peerById(tx, this.peerId)
    if (!peer) throw new Error('the parent is no longer known')
    return peer
  }

  private save(tx: WriteTx, set: Partial<Peer>): Promise<unknown> {
    return setPeer(tx, this.peerId, set)
  }
}

const isCopying = ({ cursor }: Page) => textToCursor(cursor)?.kind === 'copy'

/** How far a merge of everything has come. */
export type MergePlace =
  | { way: 'down'; cursor: string | null; scope: string | null }
  | ({ way: 'up' } & Pick<Peer, 'own_seq' | 'own_people'>)
export const MERGE_START: MergePlace = { way: 'down', cursor: null, scope: null }
/** No cursor is this one. */
const NOWHERE = ''
