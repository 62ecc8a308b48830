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
import { QueueFull } from '../../store/replica/held.ts'
import { keyOf, keyOfRow } from '../../store/replica/links.ts'
import { asSystem, type ReadTx, type WriteTx } from '../../store/tx.ts'
import { version } from '../../version.ts'
import type { NamedFile } from '../files/named.ts'
import { lookAgain } from '../files/queue.ts'
import { parentsOf, peerById } from '../identity/enrolment.ts'
import { nodeKeys } from '../identity/keys.ts'
import { sealKeys } from '../identity/own-keys.ts'
import { heardKeys, isParentRestored, resendToFirst, sentUpTo } from '../identity/parent-state.ts'
import { isObeyed } from '../identity/wipe.ts'
import { demandSingleWriter } from '../incarnation/duplicate-number.ts'
import { demandOwnNumber, hasLost } from '../incarnation/number.ts'
import { underOwnNumber } from '../incarnation/own-number.ts'
import { settleAnswered, watchRefused } from '../issues/kept-elsewhere.ts'
import { keepAwaiting, keepRefused, ofOwn, takeRefusals } from '../issues/refusals.ts'
import { entriesForParent, takeEntries } from '../journal/history-exchange.ts'
import { LineFailure, type ParentLine, TOO_LARGE } from '../line/parent-line.ts'
import { type AgreedMembership, approveAgreed, awaitsPerson, sendAgreedRows } from '../scope/consent.ts'
import { heardBy } from '../scope/forgotten.ts'
import { dropUnknown } from '../scope/missed-deletions.ts'
import { letBooksGo } from '../scope/moved-books.ts'
import { announceSecrets } from '../scope/people.ts'
import { resealed } from '../scope/secrets.ts'
import { hasUnread, stillValid } from './answered-rows.ts'
import { forwardSigned } from './forward-signed.ts'
import { type News, pendingRows } from './pending-rows.ts'
import { prune } from './prune.ts'

type Peer = Row<'sync_peer'>
type Coming = { from?: string | null; byHand?: boolean }
/** The places up to which a push goes, and its rows; these are not known where the answers come on a stick. */
type Sent = Pick<News, 'to' | 'people'> & Partial<Pick<News, 'rows'>>
type Outgoing = { page: News; push: Push; rows: readonly Carried[] }

/** The protocol and the schema that this program tells. */
export type Program = { protocol: number; schema: number }

/**
 * A child's side of one parent, in the steps that the machine asks for (sync/machine.ts). What must survive a restart is in the database:
 * how far the parent has this node's feed, and how far this node has read the parent's, each saved with the rows that it counts.
 */
export class Child {
  /**
   * How much of this node's feed the parent has, as it said. Where that is less than the end, one push without rows tells the end, so that
   * the next greeting begins there.
   */
  private acknowledged = Number.MAX_SAFE_INTEGER
  private ahead: { cursor: string; scope: string; page: Promise<Page> } | null = null

  constructor(
    private readonly services: Services,
    private readonly peerId: string,
    private readonly line: ParentLine,
    private readonly program: Program = { protocol: PROTOCOL, schema: SCHEMA_VERSION },
  ) {}

  /**
   * Greets the parent. `anew`: this database was restored or copied and must begin anew. `wipe`: when its school ordered that this laptop
   * be erased; null where nobody did whose order it carries out.
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
    // After a restore this database has a new number already, and tells the parent so with the old keys.
    if (node !== store.nodeId || this.line.isKnownAsFormer) return { anew: true, wipe: null }
    this.acknowledged = welcome.acknowledged
    return store.write(asSystem(), async (tx) => {
      const peer = await this.peer(tx)
      if (await hasLost(tx, store.nodeId, peer, welcome)) {
        // What both have in common is what the parent has acknowledged: what is noted here may be of the lost days.
        await this.save(tx, { own_seq: Math.min(peer.own_seq, welcome.acknowledged) })
        return { anew: true, wipe: null }
      }
      const isNewEpoch = peer.their_epoch !== welcome.epoch
      // One of the two programs passed over what it did not know before: everything is told again, both ways.
      const schema = Math.min(this.program.schema, welcome.schema)
      const isAgain = isNewEpoch || schema > peer.schema
      await this.save(tx, {
        their_epoch: welcome.epoch,
        // From now on rows that came from the parent's earlier database are sent to it too.
        node_id: welcome.epoch,
        ...heardKeys(welcome.keys),
        schema,
        their_cursor: isAgain ? null : peer.their_cursor,
        // A restored parent has less than it had acknowledged, and gets everything again. A parent that has acknowledged more than is noted
        // here sent a reply that never came: it is asked again, for that reply may have told refusals.
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

  /** A restored parent may not know this enrolment, but an earlier number, whose keys this database has. */
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

  /** Sends the next page of what was written here and the parent has not acknowledged. `reads`: as in `takeAnswers`. */
  async push({ reads = true } = {}): Promise<{ more: boolean }> {
    const peer = await this.services.store.read(asSystem(), (tx) => this.peer(tx))
    const { page, push, rows } = await this.pageAfter(peer)
    if (page.to === peer.own_seq && page.people === peer.own_people) return { more: false }
    if (page.rows.length + push.history.count === 0 && !(page.isLast && page.to > this.acknowledged)) {
      // All of it came from the parent itself.
      await this.services.store.write(asSystem(), (tx) => this.save(tx, { own_seq: page.to, own_people: page.people }))
      return { more: !page.isLast }
    }
    const answers = await this.send(push, rows)
    this.acknowledged = Number.MAX_SAFE_INTEGER
    await this.takeAnswers(peer, answers, page, { reads })
    return { more: !page.isLast }
  }

  /**
   * The next page after the places in `peer`, as it is sent, and the rows in it. `whole`: also rows that came from the parent itself.
   * `upTo`: not beyond this number, up to which all was sent before, with its history.
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
   * Sends a page, in parts where it is one transaction that is larger than a parent takes at once. The first part bears the history, by
   * which the parent recognises the child's database. Nothing is saved here before the last part is answered, so that all are sent again.
   * Living rows come before deleted ones, the former with parent rows first, the latter with child rows first: no part leaves a row whose
   * parent row the next removes.
   */
  private async send(push: Push, rows: readonly Carried[], signal?: AbortSignal): Promise<RowAnswer[]> {
    const whole = await this.sendAtOnce(push, rows, signal)
    const isThere = ({ state }: Carried) => state.alive.length > 0
    const inOrder = () => [...rows.filter(isThere), ...rows.filter((row) => !isThere(row)).reverse()]
    return whole ?? this.sendInParts(push, inOrder(), signal)
  }

  /** Null where the page is too large. */
  private async sendAtOnce(push: Push, rows: readonly Carried[], signal?: AbortSignal): Promise<RowAnswer[] | null> {
    if (rows.length > limits.sync.pushRows) return null
    try {
      return (await this.line.push(push, signal)).answers
    } catch (error) {
      if (error instanceof LineFailure && error.code === TOO_LARGE && rows.length > 1) return null
      throw error
    }
  }

  private async sendInParts(push: Push, rows: readonly Carried[], signal?: AbortSignal): Promise<RowAnswer[]> {
    const half = Math.ceil(rows.length / 2)
    const answers: RowAnswer[] = []
    for (const [own, history] of [
      [rows.slice(0, half), push.history],
      [rows.slice(half), packEntries([])],
    ] as const) {
      const part = { ...push, tables: packRows(own), history }
      answers.push(...((await this.sendAtOnce(part, own, signal)) ?? (await this.sendInParts(part, own, signal))))
    }
    return answers
  }

  /**
   * Takes the parent's answers to a page: puts refused writes on the list, applies the parent's rows, and saves the places up to which the
   * parent has this node's feeds. `reads`: first the pages are read where these rows bear writes that are not known here. The entries of
   * such writes come with pages only, and without them nobody could prove the writes to a parent that has lost them. What was refused is on
   * the list before that, since a page may put another value in its place.
   */
  async takeAnswers(peer: Peer, answers: readonly RowAnswer[], sent: Sent, { reads = false } = {}): Promise<void> {
    const { store } = this.services
    const school = peer.school_id as string
    const first = await this.firstParent(peer)
    const isFirst = first.id === peer.id
    const refused = await this.listRefused(peer, first, answers, sent.rows)
    const theirs = await this.rowsIn(peer, answers, reads)
    await underOwnNumber(store, async (tx) => {
      await demandOwnNumber(tx, school, store.nodeId, theirs)
      const closeKept = await watchRefused(tx, peer, theirs)
      await applyStates(tx, school, theirs, { source: peer.node_id })
      await closeKept(refused)
    })
    // In one transaction: once the places are saved, the parent is not asked about these writes again.
    await store.write(asSystem(), async (tx) => {
      const { to, people } = sent
      if (isFirst && refused.length > 0) {
        const there = new Map(theirs.map((row) => [keyOfRow(row), packRows([row])[0] ?? null]))
        const now = refused.map((answer) => ({ ...answer, theirs: there.get(keyOf(answer)) ?? null }))
        const valid = sent.rows ? await stillValid(tx, school, now, [...sent.rows, ...theirs]) : now
        await takeRefusals(tx, { node: store.nodeId, isLaptop: peer.user_id !== null, sent: to }, school, valid)
      }
      if (isFirst && peer.user_id !== null) await settleAnswered(tx, peer, { to, people })
      await this.save(tx, { own_seq: to, own_people: people, last_seen_at: tx.now })
    })
  }

  /** Puts refused writes on the list, and returns the answers that tell of them. `sent`: the rows as they were sent, where that is known. */
  private async listRefused(
    peer: Peer,
    first: Peer,
    answers: readonly RowAnswer[],
    sent?: readonly Carried[],
  ): Promise<readonly RowAnswer[]> {
    const { store } = this.services
    const school = peer.school_id as string
    const all = answers.filter(({ outcome }) => outcome === 'refused' || outcome === 'conflict')
    if (all.length === 0) return []
    const isFirst = first.id === peer.id
    return store.write(asSystem(), async (tx) => {
      const final = all.filter((answer) => !awaitsPerson(answer))
      const valid = sent ? await stillValid(tx, school, final, sent) : final
      const refused = isFirst ? valid : await ofOwn(tx, { node: store.nodeId, first }, valid)
      await keepRefused(tx, { ...peer, isFirst, own: store.nodeId }, refused)
      await keepAwaiting(tx, school, all)
      return refused
    })
  }

  /** The parent's rows in its answers, or as pages have brought them since. */
  private async rowsIn(peer: Peer, answers: readonly RowAnswer[], reads: boolean): Promise<Carried[]> {
    const { own, shared } = sealKeys(this.services, peer)
    const theirs = resealed(unpackRows(answers.flatMap((answer) => answer.theirs ?? [])).rows, shared, own)
    const isUnread = (tx: ReadTx) => hasUnread(tx, peer.school_id as string, theirs)
    if (!reads || !(await this.services.store.read(asSystem(), isUnread))) return theirs
    const asked = new Set(answers.map(keyOf))
    const there = new Map(theirs.map((row) => [keyOfRow(row), row]))
    const note = (rows: readonly Carried[]) => {
      for (const row of rows) if (asked.has(keyOfRow(row))) there.set(keyOfRow(row), row)
    }
    // A full queue keeps pages waiting, and not answers.
    await this.readOn(note).catch((error: unknown) => {
      if (!(error instanceof QueueFull)) throw error
    })
    return [...there.values()]
  }

  /** Reads the parent's pages, to the last; of a copy one only, for no entries come with it. */
  private async readOn(note: (rows: readonly Carried[]) => void): Promise<void> {
    for (;;) {
      const peer = await this.services.store.read(asSystem(), (tx) => this.peer(tx))
      const page = await this.nextPage({ cursor: peer.their_cursor, wait: 0, scope: peer.scope })
      note(await this.takePage(peer, page))
      if (page.is_last || page.total !== null) return
    }
  }

  /**
   * Pulls the parent's next page and saves it together with the place where it ends. `sent`: of a laptop, how much of its feed the parent
   * had before.
   */
  async pull(wait: number, signal?: AbortSignal): Promise<{ news: boolean; more: boolean; page: Page; sent: number }> {
    const { store } = this.services
    const { peer, sent } = await store.read(asSystem(), async (tx) => {
      const peer = await this.peer(tx)
      return { peer, sent: peer.user_id === null ? 0 : await sentUpTo(tx, peer) }
    })
    const page = await this.nextPage({ cursor: peer.their_cursor, wait, scope: peer.scope }, signal)
    await this.takePage(peer, page)
    // Only pages of the first parent take rows away: another may lack what the first has. What the first has lost, it gets at its next
    // greeting.
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
    // Only within a copy: a request with a place in the feed says that all before it was saved.
    if (isCopying(page) && (page.total ?? 0) > limits.sync.pageRows) {
      const next = { cursor: page.cursor, scope: page.scope }
      this.ahead = { ...next, page: this.line.pull({ ...next, wait: 0 }) }
      this.ahead.page.catch(() => {})
      // Writing keeps the process busy, so the request is sent first.
      await setImmediate()
    }
    return page
  }

  /**
   * Applies a page and saves its place, in one transaction. `from`: the cursor with which the page was asked. If this node's place has
   * changed meanwhile, the rows count and the page's place does not. `byHand`: the page came on a stick, so another number could be told to
   * nobody. Returns the rows.
   */
  async takePage(peer: Peer, page: Page, { from = peer.their_cursor, byHand = false }: Coming = {}): Promise<Carried[]> {
    const { own, shared } = sealKeys(this.services, peer)
    const rows = resealed(unpackRows(page.tables).rows, shared, own)
    const history = entriesOf(page.history)
    let agreed: AgreedMembership[] = []
    const isFirst = (await this.firstParent(peer)).id === peer.id
    await underOwnNumber(this.services.store, async (tx) => {
      await demandSingleWriter(tx, peer.school_id as string, history, null)
      await demandOwnNumber(tx, peer.school_id as string, this.services.store.nodeId, rows)
      if (page.copied !== null) await tx.dialect.awaitMore(tx.connection, isCopying(page))
      const closeKept = await watchRefused(tx, peer, rows)
      await applyStates(tx, peer.school_id as string, rows, { source: peer.node_id, fromParent: true })
      await closeKept([])
      if (peer.user_id === null) {
        await announceSecrets(tx, rows, peer.node_id)
        agreed = await sendAgreedRows(tx, peer.school_id as string, rows)
      }
      await takeEntries(tx, peer.school_id as string, history, peer.node_id)
      const now = await this.peer(tx)
      const { nodeId } = this.services.store
      const leaving = { heard: heardBy(nodeId, now), node: byHand ? null : nodeId }
      // Another parent may not have heard yet whose class it is.
      if (peer.user_id && isFirst) await letBooksGo(tx, peer.school_id as string, page.left ?? [], leaving)
      const place = now.their_cursor === from ? { their_cursor: page.cursor, their_epoch: page.epoch, scope: page.scope } : {}
      await this.save(tx, { ...place, last_seen_at: tx.now })
    })
    if (agreed.length > 0) await this.services.store.write(asSystem(), (tx) => approveAgreed(tx, agreed))
    return rows
  }

  /** Merges everything again, both ways, whatever the saved places say; they stay (SPEC, «Comparing»). Call after `greet`. */
  async mergeAll(): Promise<void> {
    while ((await this.push()).more);
    for (let place: MergePlace | null = MERGE_START; place; ) place = await this.mergeOn(place)
  }

  /**
   * Takes the next page of that merge, down first and then up, and returns where it ends; null after the last. Only what the parent has
   * acknowledged goes up, so that no place and no history has to be told again: the rest goes the ordinary way. A laptop sends only its own
   * writes: nobody takes others.
   */
  async mergeOn(at: MergePlace, signal?: AbortSignal): Promise<MergePlace | null> {
    const { store } = this.services
    const peer = await store.read(asSystem(), (tx) => this.peer(tx))
    if (at.way === 'down') {
      if (at.cursor === null) await store.write(asSystem(), (tx) => lookAgain(tx, this.peerId))
      // Where the scope has changed, the copy begins anew, once.
      const page = await this.line.pull({ cursor: at.cursor, scope: at.scope ?? peer.scope, wait: 0 }, signal)
      await this.takePage(peer, page, { from: NOWHERE })
      if (!page.is_last) return { way: 'down', cursor: page.cursor, scope: page.scope }
      return { way: 'up', own_seq: 0, own_people: 0 }
    }
    const { own_seq, own_people } = peer
    if (at.own_seq >= own_seq && at.own_people >= own_people) return null
    const { page, push, rows } = await this.pageAfter({ ...peer, ...at }, { whole: peer.user_id === null, upTo: own_seq })
    const answers = await this.send({ ...push, from: own_seq, to: own_seq }, rows, signal)
    await this.takeAnswers(peer, answers, { to: own_seq, people: own_people, rows: page.rows })
    if (page.to >= own_seq && page.people >= own_people) return null
    return { way: 'up', own_seq: page.to, own_people: page.people }
  }

  /** The first parent, whose answers count: another may tell a laptop later what the first has long sent. */
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
/** Equals no cursor. */
const NOWHERE = ''
