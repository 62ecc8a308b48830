import type { IncomingMessage, ServerResponse } from 'node:http'
import { common, type Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { type FairQueue, fairQueue } from './fair-queue.ts'

export type LaneName = 'ordinary' | 'signIn' | 'health'
/** Why a request was turned away: too many wait, it waited too long, too many bytes of its client are under way. */
export type Reason = 'full' | 'waited' | 'bytes'

type Visit = {
  lane: Lane
  client: string
  since: number
  incoming: IncomingMessage
  outgoing: ServerResponse
  run: () => Promise<unknown>
  isWaiting: boolean
}
/** One whose work goes on after it waited for something outside, and needs a place again. */
type Returning = { since: number; resume: () => void; refuse: (failure: Failure) => void }
type Lane = { name: LaneName; atOnce: number; active: number; queue: FairQueue<Visit>; returning: Returning[] }

/** A request's place among those in work. */
export type Place = {
  /** Gives the place to others while `wait` waits for the client or a worker, then takes one again. Throws 503 where none comes free. */
  aside<T>(wait: () => Promise<T>): Promise<T>
  /** False once the client has hung up: nobody will read the answer. */
  isWanted(): boolean
  leave(): void
}

export type Turned = {
  incoming: IncomingMessage
  outgoing: ServerResponse
  lane: LaneName
  reason: Reason
  client: string
  since: number
}
/** The bounds of limits.ts, whatever they are. */
type Measured<T> = T extends number ? number : { readonly [K in keyof T]: Measured<T[K]> }
export type AdmissionBounds = Measured<typeof limits.admission>
export type AdmissionOptions = { bounds?: AdmissionBounds; turnAway: (turned: Turned) => void }
export type Admission = {
  enter(incoming: IncomingMessage, outgoing: ServerResponse, client: string, run: () => Promise<unknown>): void
  /** To be told of every new connection: where one came, more may wait, and nobody is in line who is not yet connected. */
  connected(): void
  load(): Record<LaneName, { active: number; waiting: number }>
}

const SIGN_IN = new Set(['/api/auth/otp/send', '/api/auth/otp/verify', '/api/auth/refresh', '/api/auth/ways'])
const HEALTH = new Set(['/healthz', '/readyz', '/metrics'])

export function laneOf(url: string): LaneName {
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  if (HEALTH.has(path)) return 'health'
  return SIGN_IN.has(path) ? 'signIn' : 'ordinary'
}

/** Which lane begins next, in turns, where all wait: none can starve another, and the small ones never wait for the large. */
const TURNS: readonly LaneName[] = ['health', 'signIn', 'ordinary', 'ordinary']

const places = new WeakMap<object, Place>()
const nowhere: Place = { aside: (wait) => wait(), isWanted: () => true, leave: () => {} }
/** The place of a request by its `incoming`; where there is no network, as in tests, one that is always free. */
export const placeOf = (incoming: object | undefined): Place => (incoming && places.get(incoming)) || nowhere

/**
 * Who is let in, and when (decision 235). Nothing waits while there is little to do. Where requests come faster than they are done, an
 * event loop hides the queue in the sockets, where nobody can see how long anyone has waited; so after `slice` ms of work in one round
 * of the loop the rest is only noted down and put in line, and begun in turns by client, again for `slice` ms a round.
 */
export function admission({ bounds = limits.admission, turnAway }: AdmissionOptions): Admission {
  const doors = new Doors(bounds, turnAway)
  return { enter: doors.enter.bind(doors), connected: doors.connected.bind(doors), load: doors.load.bind(doors) }
}

class Doors {
  readonly #lanes: Record<LaneName, Lane>
  readonly #all: readonly Lane[]
  #turn = 0
  /** When the first request of this round of the event loop was let in; null before. */
  #roundBegan: number | null = null
  #isScheduled = false
  #isWaking = false
  /** Since when somebody has been in line without a break. */
  #rushSince: number | null = null
  #nextSweep = 0
  #hasConnected = false
  /** Since when rounds were left to new connections. */
  #connectingSince: number | null = null

  constructor(
    private readonly bounds: AdmissionBounds,
    private readonly turnAway: (turned: Turned) => void,
  ) {
    const lane = (name: LaneName): Lane => ({
      name,
      atOnce: bounds[name].atOnce,
      active: 0,
      queue: fairQueue(bounds[name].waiting),
      returning: [],
    })
    this.#lanes = { ordinary: lane('ordinary'), signIn: lane('signIn'), health: lane('health') }
    this.#all = Object.values(this.#lanes)
  }

  enter(incoming: IncomingMessage, outgoing: ServerResponse, client: string, run: () => Promise<unknown>): void {
    const now = performance.now()
    const lane = this.#lanes[laneOf(incoming.url ?? '')]
    const visit: Visit = { lane, client, since: now, incoming, outgoing, run, isWaiting: true }
    if (this.#roundBegan === null) {
      this.#roundBegan = now
      this.#schedule()
    }
    if (this.#waiting() === 0 && lane.active < lane.atOnce && now - this.#roundBegan < this.bounds.slice) this.#begin(visit)
    else this.#putInLine(visit)
  }

  #putInLine(visit: Visit) {
    const { lane, client, outgoing } = visit
    const pushedOut = lane.queue.add(client, visit)
    if (pushedOut) this.#refuse(pushedOut, 'full')
    if (pushedOut === visit) return
    outgoing.once('close', () => visit.isWaiting && lane.queue.remove(client, visit))
    this.#schedule()
  }

  load(): Record<LaneName, { active: number; waiting: number }> {
    const loads = this.#all.map(({ name, active, queue, returning }) => [name, { active, waiting: queue.size() + returning.length }])
    return Object.fromEntries(loads) as Record<LaneName, { active: number; waiting: number }>
  }

  #waiting(): number {
    return this.#all.reduce((sum, { queue, returning }) => sum + queue.size() + returning.length, 0)
  }

  #schedule() {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#round())
  }

  /** Once a round of the event loop, after the sockets were read. */
  #round() {
    this.#isScheduled = false
    this.#roundBegan = null
    if (this.#waiting() === 0) {
      this.#rushSince = null
      return
    }
    const now = performance.now()
    if (this.#letConnect(now)) {
      this.#schedule()
      return
    }
    this.#roundBegan = now
    this.#rushSince ??= now
    this.#turnAwayLate(now)
    if (this.#beginNext()) this.#schedule()
    else {
      this.#roundBegan = null
      this.#lookAgain()
    }
  }

  /** The event loop takes one new connection a round, so in a rush of them some rounds, `slice` ms in a row, are for nothing else. */
  #letConnect(now: number): boolean {
    const isRush = this.#hasConnected
    this.#hasConnected = false
    if (isRush) this.#connectingSince ??= now
    if (isRush && this.#connectingSince !== null && now - this.#connectingSince < this.bounds.slice) return true
    this.#connectingSince = null
    return false
  }

  connected(): void {
    this.#hasConnected = true
  }

  /** A place is free: the next begins in it at once while there is time in this round, since each round costs a look at all sockets. */
  #freed() {
    if (this.#waiting() === 0) return
    const isTime = this.#roundBegan !== null && performance.now() - this.#roundBegan < this.bounds.slice
    if (!isTime || !this.#beginNext()) this.#schedule()
  }

  /** While every place is taken nothing else would look whether somebody has waited too long. */
  #lookAgain() {
    if (this.#isWaking) return
    this.#isWaking = true
    setTimeout(() => {
      this.#isWaking = false
      this.#schedule()
    }, SWEEP)
  }

  #beginNext(): boolean {
    for (const lane of this.#all) {
      const back = lane.active < lane.atOnce ? lane.returning.shift() : undefined
      if (!back) continue
      lane.active += 1
      back.resume()
      return true
    }
    for (let tried = 0; tried < TURNS.length; tried += 1) {
      const lane = this.#lanes[TURNS[this.#turn++ % TURNS.length] as LaneName]
      const visit = lane.active < lane.atOnce ? lane.queue.take() : undefined
      if (!visit) continue
      this.#begin(visit)
      return true
    }
    return false
  }

  #turnAwayLate(now: number) {
    if (now < this.#nextSweep) return
    this.#nextSweep = now + SWEEP
    const { patience, shortPatience, rush } = this.bounds
    const isRush = this.#rushSince !== null && now - this.#rushSince > rush
    const since = now - (isRush ? shortPatience : patience)
    for (const { queue, returning } of this.#all) {
      for (const visit of queue.sweep((one) => one.since < since)) this.#refuse(visit, 'waited')
      while (returning[0] && returning[0].since < now - patience) returning.shift()?.refuse(common.busy({ headers: RETRY }))
    }
  }

  #refuse(visit: Visit, reason: Reason) {
    const { incoming, outgoing, lane, client, since } = visit
    visit.isWaiting = false
    if (!incoming.socket.destroyed) this.turnAway({ incoming, outgoing, lane: lane.name, reason, client, since })
  }

  #begin(visit: Visit) {
    const { lane, incoming, run } = visit
    visit.isWaiting = false
    lane.active += 1
    const place = placeIn(lane, incoming, () => this.#freed())
    places.set(incoming, place)
    run().then(place.leave, place.leave)
  }
}

/** `freed` is told of every place that is given back. */
function placeIn(lane: Lane, incoming: IncomingMessage, freed: () => void): Place {
  let isHeld = true
  let isOver = false
  const give = () => {
    if (!isHeld) return
    isHeld = false
    lane.active -= 1
    freed()
  }
  const takeAgain = async () => {
    if (isOver) return
    if (lane.active < lane.atOnce) lane.active += 1
    else {
      await new Promise<void>((resume, refuse) => {
        lane.returning.push({ since: performance.now(), resume, refuse })
        freed()
      })
    }
    isHeld = true
  }
  return {
    async aside(wait) {
      give()
      try {
        return await wait()
      } finally {
        await takeAgain()
      }
    },
    isWanted: () => !incoming.socket.destroyed,
    leave: () => {
      isOver = true
      give()
    },
  }
}

/** How often those in line are looked through, in ms. */
const SWEEP = 25
const RETRY = { 'retry-after': '1' }
