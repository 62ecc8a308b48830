import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { common } from '@markbook/shared/failures'
import type { limits } from '@markbook/shared/limits'

type LaneName = 'ordinary' | 'signIn' | 'health'
/** Why a request was refused: too many are in flight, it waited too long, too many bytes of its client are under way. */
export type Reason = 'full' | 'waited' | 'bytes'
/** What is counted of one client, an address or network (see `fairnessKeyOf`). In flight: active or queued, by lane. */
export type Client = { readonly name: string; connections: number; bytes: number; inFlight: Record<LaneName, number> }
type Widened<T> = T extends number ? number : { readonly [K in keyof T]: Widened<T[K]> }
/** The bounds of limits.ts, with any values. */
export type LimiterBounds = Widened<typeof limits.admission>

type Lane = { bounds: LimiterBounds['ordinary']; active: number; waiting: number; queue: Map<Client, RequestSlot[]> }

const SIGN_IN = new Set(['/api/auth/otp/send', '/api/auth/otp/verify', '/api/auth/refresh', '/api/auth/ways'])
const HEALTH = new Set(['/healthz', '/readyz', '/metrics'])

function laneOf(url: string): LaneName {
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  return SIGN_IN.has(path) ? 'signIn' : HEALTH.has(path) ? 'health' : 'ordinary'
}

const slotKey = Symbol('slot')
type WithSlot = { [slotKey]?: RequestSlot }

/** One request, and its place among the active ones. */
export class RequestSlot {
  state: 'new' | 'active' | 'released' | 'done' = 'new'
  school: string | null = null
  readonly lane: LaneName
  /** Since when it waits, on the clock of `performance`, ms. */
  since = performance.now()
  /** Called when the slot leaves the queue: without a reason it is active. */
  onTurn: (refused?: Reason) => void = () => {}

  constructor(
    readonly incoming: IncomingMessage,
    readonly outgoing: ServerResponse,
    readonly client: Client,
    private readonly limiter: Limiter,
  ) {
    this.lane = laneOf(incoming.url ?? '')
    ;(incoming as WithSlot)[slotKey] = this
  }

  /** Gives the slot to others while `wait` waits for the client or a worker, then takes one again. Throws 503 where none comes free. */
  async releasedDuring<T>(wait: () => Promise<T>): Promise<T> {
    this.limiter.leave(this, 'released')
    try {
      return await wait()
    } finally {
      if (this.state === 'released') await this.limiter.return(this)
    }
  }

  /** False once the client has hung up: nobody will read the reply. */
  isClientConnected(): boolean {
    return !this.incoming.socket.destroyed
  }

  /** Counts the request for its school. Throws 503 where that school has its share of the slots and others have active requests. */
  countFor(school: string): void {
    this.limiter.countFor(this, school)
  }

  /** The reply is made, or it goes on without work, like a stream. */
  release(): void {
    this.limiter.leave(this, 'done')
  }
}

export type Slot = Pick<RequestSlot, 'releasedDuring' | 'isClientConnected' | 'countFor' | 'release'>
const unlimited: Slot = { releasedDuring: (wait) => wait(), isClientConnected: () => true, countFor: () => {}, release: () => {} }
/** The slot of a request by its `incoming`; where there is no network, as in tests, one without bounds. */
export const slotOf = (incoming: object | undefined): Slot => (incoming as WithSlot | undefined)?.[slotKey] ?? unlimited

/** One pass over the lanes begins this many requests of each, so that no lane can starve another. */
const PASS: readonly LaneName[] = ['health', 'signIn', 'ordinary', 'ordinary']
/** How often the delay of the event loop is sampled, ms. */
export const SAMPLE = 50

/**
 * A concurrency limiter with a queue in which clients take turns (docs/design/http.md). Every request is queued when its headers were
 * read, and begun after the sockets of that round of the event loop, for at most `slice` ms a round: what comes faster than it is done
 * waits here, where its time is known, and not in its socket.
 */
export class Limiter {
  readonly #lanes: Record<LaneName, Lane>
  readonly #schools = new Map<string, number>()
  #sampledAt = performance.now()
  /** How much later than it should the event loop came to read its sockets, ms. */
  #loopDelay = 0
  #isScheduled = false
  #roundEnded = 0
  #hasConnected = false
  /** Since when the queue has never been empty. */
  #queuedSince: number | null = null

  constructor(
    private readonly bounds: LimiterBounds,
    private readonly refuse: (slot: RequestSlot, reason: Reason) => void,
  ) {
    const lane = (name: LaneName): Lane => ({ bounds: bounds[name], active: 0, waiting: 0, queue: new Map() })
    this.#lanes = { health: lane('health'), signIn: lane('signIn'), ordinary: lane('ordinary') }
  }

  watch(server: Server): void {
    server.on('connection', () => (this.#hasConnected = true))
  }

  load(): Record<LaneName, { active: number; waiting: number }> {
    const { ordinary, signIn, health } = this.#lanes
    const loadOf = ({ active, waiting }: Lane) => ({ active, waiting })
    return { ordinary: loadOf(ordinary), signIn: loadOf(signIn), health: loadOf(health) }
  }

  /** Runs `work` as soon as there is a slot for it, or refuses it. */
  enter(slot: RequestSlot, work: () => Promise<unknown>): void {
    // What was in a socket while the event loop was busy with something else has waited for as long.
    if (slot.lane !== 'health') slot.since -= this.#loopDelay
    const done = () => slot.release()
    const onTurn = (refused?: Reason) => {
      if (refused) this.refuse(slot, refused)
      else work().then(done, done)
    }
    if (this.#isFull(slot)) onTurn('full')
    else this.#enqueue(slot, onTurn)
  }

  leave(slot: RequestSlot, state: 'released' | 'done'): void {
    if (slot.state === 'active') {
      this.#lanes[slot.lane].active -= 1
      slot.client.inFlight[slot.lane] -= 1
      this.#countSchool(slot.school, -1)
      if (!this.#isQueueEmpty()) this.#schedule()
    }
    if (slot.state !== 'done') slot.state = state
  }

  return(slot: RequestSlot): Promise<void> | void {
    const lane = this.#lanes[slot.lane]
    if (lane.active < lane.bounds.atOnce) return this.#take(slot)
    slot.since = performance.now()
    return new Promise((resolve, reject) => this.#enqueue(slot, (refused) => (refused ? reject(busy()) : resolve())))
  }

  countFor(slot: RequestSlot, schoolId: string): void {
    if (slot.state !== 'active' || slot.school !== null) return
    if ((this.#schools.get(schoolId) ?? 0) >= this.bounds.perSchool && this.#schools.size > 1) throw busy()
    slot.school = schoolId
    this.#countSchool(schoolId, 1)
  }

  #countSchool(schoolId: string | null, by: number) {
    if (schoolId === null) return
    const count = (this.#schools.get(schoolId) ?? 0) + by
    if (count > 0) this.#schools.set(schoolId, count)
    else this.#schools.delete(schoolId)
  }

  /** Where the queue is full, each client in it may have its share. */
  #isFull({ client, lane: name }: RequestSlot): boolean {
    const { bounds, active, waiting, queue } = this.#lanes[name]
    if (client.inFlight[name] >= bounds.perClient) return true
    const own = queue.get(client)?.length ?? 0
    return active + waiting >= bounds.atOnce + bounds.waiting && own >= bounds.waiting / Math.max(1, queue.size)
  }

  #isQueueEmpty(): boolean {
    const { ordinary, signIn, health } = this.#lanes
    return ordinary.waiting + signIn.waiting + health.waiting === 0
  }

  #take(slot: RequestSlot) {
    slot.state = 'active'
    this.#lanes[slot.lane].active += 1
    slot.client.inFlight[slot.lane] += 1
    this.#countSchool(slot.school, 1)
  }

  /** A request that comes back to go on stands before those of its client that have not begun. */
  #enqueue(slot: RequestSlot, onTurn: RequestSlot['onTurn']) {
    const lane = this.#lanes[slot.lane]
    slot.onTurn = onTurn
    const own = lane.queue.get(slot.client)
    if (!own) lane.queue.set(slot.client, [slot])
    else if (slot.state === 'released') own.unshift(slot)
    else own.push(slot)
    lane.waiting += 1
    slot.client.inFlight[slot.lane] += 1
    this.#schedule()
  }

  #dequeue(slot: RequestSlot) {
    const lane = this.#lanes[slot.lane]
    const own = lane.queue.get(slot.client) ?? []
    own.splice(own.indexOf(slot), 1)
    if (own.length === 0) lane.queue.delete(slot.client)
    lane.waiting -= 1
    slot.client.inFlight[slot.lane] -= 1
  }

  #schedule() {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#round())
  }

  /**
   * Begins queued requests, once a round of the event loop. Node accepts one connection a round, so where one came, rounds of `slice` ms
   * together are left to new connections.
   */
  #round() {
    this.#isScheduled = false
    const began = performance.now()
    const isConnecting = this.#hasConnected && began - this.#roundEnded < this.bounds.slice
    this.#hasConnected = false
    if (isConnecting) return this.#schedule()
    this.#queuedSince ??= began
    let hasBegun = true
    while (hasBegun && performance.now() - began < this.bounds.slice)
      hasBegun = PASS.filter((name) => this.#beginNext(this.#lanes[name])).length > 0
    this.#roundEnded = performance.now()
    if (this.#isQueueEmpty()) this.#queuedSince = null
    else if (hasBegun) this.#schedule()
  }

  #beginNext(lane: Lane): boolean {
    const [first] = lane.queue
    if (!first || lane.active >= lane.bounds.atOnce) return false
    const [client, own] = first
    const slot = own[0] as RequestSlot
    if (!this.#drop(slot)) {
      this.#dequeue(slot)
      this.#take(slot)
      slot.onTurn()
    }
    if (lane.queue.delete(client)) lane.queue.set(client, own)
    return true
  }

  /**
   * Takes out of the queue what is not worth beginning: its client has hung up, or it has waited too long. Controlled delay: while the
   * queue has not been empty for `rush` ms, only a short wait is worth being served after it.
   */
  #drop(slot: RequestSlot): boolean {
    const { patience, shortPatience, rush } = this.bounds
    const now = performance.now()
    const isReturning = slot.state === 'released'
    const isGone = !isReturning && !slot.isClientConnected()
    const isRush = !isReturning && this.#queuedSince !== null && now - this.#queuedSince > rush
    if (!isGone && now - slot.since <= (isRush ? shortPatience : patience)) return false
    this.#dequeue(slot)
    if (!isGone) slot.onTurn('waited')
    return true
  }

  /** To be called every `SAMPLE` ms: measures the delay of the event loop, and drops from the queue what is not worth beginning. */
  sample(): void {
    const now = performance.now()
    this.#loopDelay = Math.max(0, now - this.#sampledAt - SAMPLE)
    this.#sampledAt = now
    if (this.#loopDelay > 0) setImmediate(() => (this.#loopDelay = 0))
    for (const lane of Object.values(this.#lanes)) for (const slot of [...lane.queue.values()].flat()) this.#drop(slot)
  }
}

const busy = () => common.busy({ headers: { 'retry-after': '1' } })
