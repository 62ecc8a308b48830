import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { common } from '@markbook/shared/failures'
import type { limits } from '@markbook/shared/limits'
import { Counts } from './counts.ts'

/** Why a request was refused: too many are in flight, it waited too long, its client has too many bytes in transit. */
export type Reason = 'full' | 'waited' | 'bytes'
/** The type of a part of limits.ts with any numbers. */
export type Widened<T> = T extends number ? number : { readonly [K in keyof T]: Widened<T[K]> }
export type LimiterBounds = Widened<typeof limits.admission>
type LaneName = 'ordinary' | 'signIn' | 'health'

const SIGN_IN = new Set(
  ['otp/send', 'otp/verify', 'proof', 'passkeys/ask', 'passkeys/sign-in', 'passkeys/proof', 'refresh', 'ways'].map(
    (it) => `/api/auth/${it}`,
  ),
)
const HEALTH = new Set(['/healthz', '/readyz', '/metrics'])

function laneOf(url: string): LaneName {
  const [path = ''] = url.split('?', 1)
  return SIGN_IN.has(path) ? 'signIn' : HEALTH.has(path) ? 'health' : 'ordinary'
}

const slotKey = Symbol('slot')
type WithSlot = { [slotKey]?: RequestSlot }

/** One request, and its slot among the active ones. */
export class RequestSlot {
  state: 'new' | 'active' | 'released' | 'done' = 'new'
  school: string | null = null
  readonly lane: Lane
  /** On the clock of `performance`, ms. */
  readonly came = performance.now()
  /** Since when it has been waiting. */
  since = this.came
  /** The bytes that its connection had received when it arrived. */
  readonly readBefore: number
  /** The bytes that the client had not read when the reply last progressed. */
  sent: { at: number; written: number; unread: number } | null = null
  /** Called when the request leaves the queue: it is active, or refused with a reason. */
  onTurn: (refused?: Reason) => void = () => {}

  /** `client`: its address or network (see `fairnessKeyOf`). */
  constructor(
    readonly incoming: IncomingMessage,
    readonly outgoing: ServerResponse,
    readonly client: string,
    private readonly limiter: Limiter,
  ) {
    this.lane = limiter.lanes[laneOf(incoming.url ?? '')]
    this.readBefore = incoming.socket.bytesRead
    ;(incoming as WithSlot)[slotKey] = this
  }

  /** Releases the slot during `wait` for the client or a worker, then takes one again. Throws 503 where none becomes free. */
  async releasedDuring<T>(wait: () => Promise<T>): Promise<T> {
    this.limiter.leave(this, 'released')
    try {
      return await wait()
    } finally {
      if (this.state === 'released') await this.limiter.return(this)
    }
  }

  /** False once the client has closed the connection, so that nobody reads the reply. */
  isClientConnected(): boolean {
    return !this.incoming.socket.destroyed
  }

  /** Counts the request for its school. Throws 503 where the school has its share of the slots and others have active requests. */
  countFor(school: string): void {
    this.limiter.countFor(this, school)
  }

  /** Releases the slot: the reply is made, or goes on without work, as a stream does. */
  release(): void {
    this.limiter.leave(this, 'done')
  }
}

export type Slot = Pick<RequestSlot, 'releasedDuring' | 'isClientConnected' | 'countFor' | 'release'>
const unlimited: Slot = { releasedDuring: (wait) => wait(), isClientConnected: () => true, countFor: () => {}, release: () => {} }
/** The slot of a request, by its `incoming`; without a network, as in tests, a slot without limits. */
export const slotOf = (incoming: object | undefined): Slot => (incoming as WithSlot | undefined)?.[slotKey] ?? unlimited

/** The requests of one kind, which have limits and a queue of their own. */
class Lane {
  active = 0
  waiting = 0
  /** Waiting requests by client. The first client has the next turn. */
  readonly queue = new Map<string, RequestSlot[]>()
  /** Active and waiting requests by client. */
  readonly #inFlight = new Counts()

  constructor(
    readonly name: LaneName,
    private readonly bounds: LimiterBounds[LaneName],
  ) {}

  /** Where the queue is full, each client in it may still have its share. */
  isFull(client: string): boolean {
    const { concurrent, queued, perClient } = this.bounds
    if (this.#inFlight.of(client) >= perClient) return true
    const own = this.queue.get(client)?.length ?? 0
    return this.active + this.waiting >= concurrent + queued && own >= queued / Math.max(1, this.queue.size)
  }

  /** A request that resumes is queued before those of its client that have not started. */
  enqueue(slot: RequestSlot): void {
    const own = this.queue.get(slot.client)
    if (!own) this.queue.set(slot.client, [slot])
    else if (slot.state === 'released') own.unshift(slot)
    else own.push(slot)
    this.count(slot, 'waiting', 1)
  }

  /** The next request that may start. Its client's next turn comes after those of the others. */
  next(): RequestSlot | undefined {
    const [first] = this.queue
    if (!first || this.active >= this.bounds.concurrent) return undefined
    const [client, own] = first
    this.queue.delete(client)
    this.queue.set(client, own)
    return own[0]
  }

  dequeue(slot: RequestSlot): void {
    const own = this.queue.get(slot.client) ?? []
    own.splice(own.indexOf(slot), 1)
    if (own.length === 0) this.queue.delete(slot.client)
    this.count(slot, 'waiting', -1)
  }

  count({ client }: RequestSlot, as: 'active' | 'waiting', by: 1 | -1): void {
    this[as] += by
    this.#inFlight.add(client, by)
  }
}

/** How often the delay of the event loop is sampled, ms. */
export const SAMPLE = 50

/**
 * A concurrency limiter with a queue in which clients take turns (docs/design/http.md). Every request is queued once its headers were
 * read, and started after the sockets of that turn of the event loop were read, for at most `startBudgetMs` a turn. So requests that come
 * faster than they are served wait here, where their waiting time is measured, and not in the socket.
 */
export class Limiter {
  readonly lanes: Readonly<Record<LaneName, Lane>>
  readonly #all: readonly Lane[]
  readonly #schools = new Counts()
  #sampledAt = performance.now()
  /** The delay of the event loop before it read its sockets, ms. */
  #loopDelay = 0
  #isScheduled = false
  #roundEnded = 0
  #hasConnected = false
  /** Since when the queue has been non-empty; null while it is empty. */
  #queuedSince: number | null = null

  constructor(
    private readonly bounds: LimiterBounds,
    private readonly refuse: (slot: RequestSlot, reason: Reason) => void,
  ) {
    const { health, signIn, ordinary } = bounds
    this.lanes = { health: new Lane('health', health), signIn: new Lane('signIn', signIn), ordinary: new Lane('ordinary', ordinary) }
    this.#all = Object.values(this.lanes)
  }

  watch(server: Server): void {
    server.on('connection', () => (this.#hasConnected = true))
  }

  /** Runs `work` as soon as a slot is free, or refuses it. */
  enter(slot: RequestSlot, work: () => Promise<unknown>): void {
    // A request whose socket was not read during the delay of the event loop has waited that long.
    if (slot.lane.name !== 'health') slot.since -= this.#loopDelay
    const done = () => slot.release()
    if (slot.lane.isFull(slot.client)) this.refuse(slot, 'full')
    else this.#enqueue(slot, (refused) => (refused ? this.refuse(slot, refused) : work().then(done, done)))
  }

  leave(slot: RequestSlot, state: 'released' | 'done'): void {
    if (slot.state === 'active') {
      this.#countActive(slot, -1)
      if (this.#isQueued()) this.#schedule()
    }
    if (slot.state !== 'done') slot.state = state
  }

  return(slot: RequestSlot): Promise<void> {
    slot.since = performance.now()
    return new Promise((resolve, reject) => this.#enqueue(slot, (refused) => (refused ? reject(busy()) : resolve())))
  }

  countFor(slot: RequestSlot, schoolId: string): void {
    if (slot.state !== 'active' || slot.school !== null) return
    if (this.#schools.of(schoolId) >= this.bounds.perSchool && this.#schools.size > 1) throw busy()
    slot.school = schoolId
    this.#schools.add(schoolId, 1)
  }

  #countActive(slot: RequestSlot, by: 1 | -1) {
    slot.lane.count(slot, 'active', by)
    if (slot.school !== null) this.#schools.add(slot.school, by)
  }

  #isQueued(): boolean {
    return this.#all.some(({ waiting }) => waiting > 0)
  }

  #enqueue(slot: RequestSlot, onTurn: RequestSlot['onTurn']) {
    slot.onTurn = onTurn
    slot.lane.enqueue(slot)
    this.#schedule()
  }

  #schedule() {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#round())
  }

  /**
   * Starts queued requests, once a turn of the event loop. Node accepts one connection a turn; after a new connection, the turns of the
   * next `startBudgetMs` therefore start none, so that further connections are accepted.
   */
  #round() {
    this.#isScheduled = false
    const { startBudgetMs } = this.bounds
    const began = performance.now()
    const isConnecting = this.#hasConnected && began - this.#roundEnded < startBudgetMs
    this.#hasConnected = false
    if (isConnecting) return this.#schedule()
    this.#queuedSince ??= began
    let hasBegun = true
    while (hasBegun && performance.now() - began < startBudgetMs) hasBegun = this.#all.filter((lane) => this.#beginNext(lane)).length > 0
    this.#roundEnded = performance.now()
    if (!this.#isQueued()) this.#queuedSince = null
    else if (hasBegun) this.#schedule()
  }

  #beginNext(lane: Lane): boolean {
    const slot = lane.next()
    if (!slot) return false
    if (this.#drop(slot)) return true
    lane.dequeue(slot)
    this.#countActive(slot, 1)
    slot.state = 'active'
    slot.onTurn()
    return true
  }

  /**
   * Refuses a queued request whose client has disconnected, or which has waited too long. Controlled delay: once the queue has been
   * non-empty for `overloadAfterMs`, a request that has not started may only wait for the short time.
   */
  #drop(slot: RequestSlot): boolean {
    const { queueTimeoutMs, overloadQueueTimeoutMs, overloadAfterMs } = this.bounds
    const now = performance.now()
    const isOverloaded = slot.state === 'new' && this.#queuedSince !== null && now - this.#queuedSince > overloadAfterMs
    if (slot.isClientConnected() && now - slot.since <= (isOverloaded ? overloadQueueTimeoutMs : queueTimeoutMs)) return false
    slot.lane.dequeue(slot)
    slot.onTurn('waited')
    return true
  }

  /** Must be called every `SAMPLE` ms: measures the delay of the event loop, and refuses requests as `#drop` does. */
  sample(): void {
    const now = performance.now()
    this.#loopDelay = Math.max(0, now - this.#sampledAt - SAMPLE)
    this.#sampledAt = now
    if (this.#loopDelay > 0) setImmediate(() => (this.#loopDelay = 0))
    for (const { queue } of this.#all) for (const slot of [...queue.values()].flat()) this.#drop(slot)
  }
}

const busy = () => common.busy({ headers: { 'retry-after': '1' } })
