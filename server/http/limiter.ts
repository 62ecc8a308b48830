import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { common } from '@markbook/shared/failures'
import type { limits } from '@markbook/shared/limits'

type LaneName = 'ordinary' | 'signIn' | 'health'
/** Why a request was refused: too many are in flight, it waited too long, its client has too many bytes in transit. */
export type Reason = 'full' | 'waited' | 'bytes'
/** The counters of one client, an address or network (see `fairnessKeyOf`). In flight: active or queued, by lane. */
export type Client = { readonly name: string; connections: number; bytes: number; inFlight: Record<LaneName, number> }
/** The type of a part of limits.ts with any numbers. */
export type Widened<T> = T extends number ? number : { readonly [K in keyof T]: Widened<T[K]> }
export type LimiterBounds = Widened<typeof limits.admission>

const SIGN_IN = new Set([
  '/api/auth/otp/send',
  '/api/auth/otp/verify',
  '/api/auth/proof',
  '/api/auth/passkeys/ask',
  '/api/auth/passkeys/sign-in',
  '/api/auth/passkeys/proof',
  '/api/auth/refresh',
  '/api/auth/ways',
])
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
  readonly lane: LaneName
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

  constructor(
    readonly incoming: IncomingMessage,
    readonly outgoing: ServerResponse,
    readonly client: Client,
    private readonly limiter: Limiter,
  ) {
    this.lane = laneOf(incoming.url ?? '')
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

/** One pass over the lanes starts this many requests of each, so that no lane starves another. */
const PASS: readonly LaneName[] = ['health', 'signIn', 'ordinary', 'ordinary']
/** How often the delay of the event loop is sampled, ms. */
export const SAMPLE = 50

/**
 * A concurrency limiter with a queue in which clients take turns (docs/design/http.md). Every request is queued once its headers were
 * read, and started after the sockets of that turn of the event loop were read, for at most `startBudgetMs` a turn. So requests that come
 * faster than they are served wait here, where their waiting time is measured, and not in the socket.
 */
export class Limiter {
  /** By lane: active requests, and waiting ones. */
  readonly load = { ordinary: { active: 0, waiting: 0 }, signIn: { active: 0, waiting: 0 }, health: { active: 0, waiting: 0 } }
  readonly #queues: Record<LaneName, Map<Client, RequestSlot[]>> = { ordinary: new Map(), signIn: new Map(), health: new Map() }
  readonly #schools = new Map<string, number>()
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
  ) {}

  watch(server: Server): void {
    server.on('connection', () => (this.#hasConnected = true))
  }

  /** Runs `work` as soon as a slot is free, or refuses it. */
  enter(slot: RequestSlot, work: () => Promise<unknown>): void {
    // A request whose socket was not read during the delay of the event loop has waited that long.
    if (slot.lane !== 'health') slot.since -= this.#loopDelay
    const done = () => slot.release()
    if (this.#isFull(slot)) this.refuse(slot, 'full')
    else this.#enqueue(slot, (refused) => (refused ? this.refuse(slot, refused) : work().then(done, done)))
  }

  leave(slot: RequestSlot, state: 'released' | 'done'): void {
    if (slot.state === 'active') {
      this.#count(slot, 'active', -1)
      if (!this.#isQueueEmpty()) this.#schedule()
    }
    if (slot.state !== 'done') slot.state = state
  }

  return(slot: RequestSlot): Promise<void> | void {
    if (this.load[slot.lane].active < this.bounds[slot.lane].concurrent) return this.#take(slot)
    slot.since = performance.now()
    return new Promise((resolve, reject) => this.#enqueue(slot, (refused) => (refused ? reject(busy()) : resolve())))
  }

  countFor(slot: RequestSlot, schoolId: string): void {
    if (slot.state !== 'active' || slot.school !== null) return
    if ((this.#schools.get(schoolId) ?? 0) >= this.bounds.perSchool && this.#schools.size > 1) throw busy()
    slot.school = schoolId
    this.#countSchool(schoolId, 1)
  }

  #count(slot: RequestSlot, as: 'active' | 'waiting', by: number) {
    this.load[slot.lane][as] += by
    slot.client.inFlight[slot.lane] += by
    if (as === 'active' && slot.school !== null) this.#countSchool(slot.school, by)
  }

  #countSchool(schoolId: string, by: number) {
    const count = (this.#schools.get(schoolId) ?? 0) + by
    if (count > 0) this.#schools.set(schoolId, count)
    else this.#schools.delete(schoolId)
  }

  /** Where the queue is full, each client in it may still have its share. */
  #isFull({ client, lane }: RequestSlot): boolean {
    const bounds = this.bounds[lane]
    if (client.inFlight[lane] >= bounds.perClient) return true
    const { active, waiting } = this.load[lane]
    const queue = this.#queues[lane]
    const own = queue.get(client)?.length ?? 0
    return active + waiting >= bounds.concurrent + bounds.queued && own >= bounds.queued / Math.max(1, queue.size)
  }

  #isQueueEmpty(): boolean {
    const { ordinary, signIn, health } = this.load
    return ordinary.waiting + signIn.waiting + health.waiting === 0
  }

  #take(slot: RequestSlot) {
    slot.state = 'active'
    this.#count(slot, 'active', 1)
  }

  /** A request that resumes is queued before those of its client that have not started. */
  #enqueue(slot: RequestSlot, onTurn: RequestSlot['onTurn']) {
    slot.onTurn = onTurn
    const own = this.#queues[slot.lane].get(slot.client)
    if (!own) this.#queues[slot.lane].set(slot.client, [slot])
    else if (slot.state === 'released') own.unshift(slot)
    else own.push(slot)
    this.#count(slot, 'waiting', 1)
    this.#schedule()
  }

  #dequeue(slot: RequestSlot) {
    const own = this.#queues[slot.lane].get(slot.client) ?? []
    own.splice(own.indexOf(slot), 1)
    if (own.length === 0) this.#queues[slot.lane].delete(slot.client)
    this.#count(slot, 'waiting', -1)
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
    const began = performance.now()
    const isConnecting = this.#hasConnected && began - this.#roundEnded < this.bounds.startBudgetMs
    this.#hasConnected = false
    if (isConnecting) return this.#schedule()
    this.#queuedSince ??= began
    let hasBegun = true
    while (hasBegun && performance.now() - began < this.bounds.startBudgetMs)
      hasBegun = PASS.filter((lane) => this.#beginNext(lane)).length > 0
    this.#roundEnded = performance.now()
    if (this.#isQueueEmpty()) this.#queuedSince = null
    else if (hasBegun) this.#schedule()
  }

  #beginNext(lane: LaneName): boolean {
    const queue = this.#queues[lane]
    const [first] = queue
    if (!first || this.load[lane].active >= this.bounds[lane].concurrent) return false
    const [client, own] = first
    const slot = own[0] as RequestSlot
    if (!this.#drop(slot)) {
      this.#dequeue(slot)
      this.#take(slot)
      slot.onTurn()
    }
    if (queue.delete(client)) queue.set(client, own)
    return true
  }

  /**
   * Removes a request from the queue where its client has disconnected, or it has waited too long. Controlled delay: once the queue has
   * been non-empty for `overloadAfterMs`, only the short wait is allowed.
   */
  #drop(slot: RequestSlot): boolean {
    const { queueTimeoutMs, overloadQueueTimeoutMs, overloadAfterMs } = this.bounds
    const now = performance.now()
    const isReturning = slot.state === 'released'
    const isGone = !isReturning && !slot.isClientConnected()
    const isRush = !isReturning && this.#queuedSince !== null && now - this.#queuedSince > overloadAfterMs
    if (!isGone && now - slot.since <= (isRush ? overloadQueueTimeoutMs : queueTimeoutMs)) return false
    this.#dequeue(slot)
    if (!isGone) slot.onTurn('waited')
    return true
  }

  /** Must be called every `SAMPLE` ms: measures the delay of the event loop, and removes requests as `#drop` does. */
  sample(): void {
    const now = performance.now()
    this.#loopDelay = Math.max(0, now - this.#sampledAt - SAMPLE)
    this.#sampledAt = now
    if (this.#loopDelay > 0) setImmediate(() => (this.#loopDelay = 0))
    for (const queue of Object.values(this.#queues)) for (const slot of [...queue.values()].flat()) this.#drop(slot)
  }
}

const busy = () => common.busy({ headers: { 'retry-after': '1' } })
