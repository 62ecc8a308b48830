import { randomInt } from 'node:crypto'
import { limits } from '@markbook/shared/limits'
import { type Barred, type Bounds, type Effect, type Event, type Notice, type State, step } from '@markbook/sync/machine'
import type { Services } from '../http/services.ts'
import type { Peer } from '../store/peer-row.ts'
import { CentreProgress } from './identity/parent-state.ts'
import { beginAnew } from './incarnation/incarnation.ts'
import { LineFailure, NOT_AUTHENTIC, PARENT_OLDER, type ParentLine } from './line/parent-line.ts'
import { Child } from './upstream/child.ts'
import type { Comparison } from './upstream/comparison.ts'
import type { Copy, Obstacle } from './upstream/upstream-status.ts'

/**
 * What the driver reports. `tell`: how it goes, and what is in the way; `copying`: how far a first copy has come; `reached`: how far the
 * centre has this node's feed; `again`: this node began anew; `carryFiles`: files may be carried.
 */
export type DriverEvents = {
  tell(notice: Notice, reason: string | null, obstacle: Obstacle | null): void
  copying(copy: Copy | null): void
  reached(above: number | null): void
  again(): void
  carryFiles(): void
  /** Carries out the order, given at `askedAt`, that this laptop be erased. */
  wipe(askedAt: string, child: Child): Promise<void>
}

/** How long the loop waits after a failure, and how long a pull waits for news. */
export type Rhythm = Bounds & { longPollSeconds: number }

export const usualRhythm: Rhythm = { ...limits.sync.backOff, longPollSeconds: limits.sync.longPollSeconds }

/** The loop with one parent: carries out what the machine decides, and decides nothing itself. */
export class ParentDriver {
  private state: State = { kind: 'stopped' }
  private busy: Promise<unknown> = Promise.resolve()
  private listening: AbortController | null = null
  private timer: NodeJS.Timeout | undefined
  private readonly child: Child
  private readonly centre: CentreProgress | null
  /** Why the last step failed. */
  private reason: string | null = null
  private obstacle: Obstacle | null = null
  private unproved = 0
  /** The last long poll brought nothing. */
  private isQuiet = false
  private askedAt = ''

  /** `comparison`: of this node with this parent; null where it is compared with another. */
  constructor(
    private readonly services: Services,
    private readonly parent: Peer,
    private readonly line: ParentLine,
    private readonly events: DriverEvents,
    private readonly comparison: Comparison | null,
    private readonly rhythm: Rhythm,
  ) {
    this.child = new Child(services, parent.id, line)
    this.centre = parent.user_id === null ? null : new CentreProgress()
  }

  start = () => this.happen({ type: 'start' })
  /** This node wrote something that its parent should have. */
  wrote = () => this.happen({ type: 'wrote' })
  /** The line may be back, or somebody wishes it. */
  call = () => this.happen({ type: 'called' })

  /** Ends what is under way. */
  async stop(): Promise<void> {
    this.happen({ type: 'stop' })
    clearTimeout(this.timer)
    this.listening?.abort()
    await this.busy.catch(() => {})
  }

  private happen(event: Event): void {
    const { state, effects } = step(this.state, event, this.rhythm)
    this.state = state
    // Any effect ends the present wait, or puts another in its place.
    if (effects.length > 0) clearTimeout(this.timer)
    for (const effect of effects) this.carryOut(effect)
  }

  private carryOut(effect: Effect): void {
    if (effect.do === 'tell') this.events.tell(effect.notice, this.reason, effect.notice === 'offline' ? this.obstacle : null)
    else if (effect.do === 'hangUp') this.listening?.abort()
    else if (effect.do === 'sleep')
      this.timer = setTimeout(() => this.happen({ type: 'woke' }), effect.ms * (0.5 + randomInt(1_000_000) / 2_000_000)).unref()
    else this.begin(effect.do)
  }

  /** Begins a step, and reports what comes of it. What comes of a request that was hung up does not count. */
  private begin(what: Exclude<Effect['do'], 'tell' | 'hangUp' | 'sleep'>): void {
    const call = new AbortController()
    if (what === 'listen') this.listening = call
    const { signal } = call
    const steps: Record<typeof what, () => Promise<Event>> = {
      greet: () => this.greet(),
      renew: () => this.renew(),
      wipe: () => this.wipe(),
      push: () => this.push(),
      pull: () => this.pull(0, signal),
      listen: () => this.pull(this.rhythm.longPollSeconds, signal),
    }
    this.busy = steps[what]().then(
      (event) => {
        if (!signal.aborted && this.state.kind !== 'stopped') this.happen(event)
      },
      (error: unknown) => {
        if (!signal.aborted) this.fail(error)
      },
    )
  }

  private fail(error: unknown): void {
    this.reason = error instanceof Error ? error.message : String(error)
    this.obstacle = error instanceof LineFailure ? (OBSTACLES[error.code] ?? null) : null
    this.unproved = isUnproved(error) ? this.unproved + 1 : 0
    this.happen({ type: 'failed', how: this.unproved < UNPROVED ? meaningOf(error) : 'revoked' })
  }

  private async greet(): Promise<Event> {
    const { anew, wipe } = await this.child.greet()
    this.unproved = 0
    this.askedAt = wipe ?? ''
    return { type: 'welcomed', anew, wipe: wipe !== null }
  }

  private async renew(): Promise<Event> {
    await beginAnew(this.services, this.parent.id, this.line)
    this.events.again()
    return { type: 'renewed' }
  }

  private async wipe(): Promise<Event> {
    await this.events.wipe(this.askedAt, this.child)
    return { type: 'wiped' }
  }

  private async push(): Promise<Event> {
    this.isQuiet = false
    const { more } = await this.child.push()
    // Files follow their rows.
    if (!more) this.events.carryFiles()
    return { type: 'pushed', more }
  }

  /** `wait`: how many seconds the parent may take to have news. */
  private async pull(wait: number, signal: AbortSignal): Promise<Event> {
    const { comparison, child, line, events } = this
    if (wait > 0 && this.isQuiet && comparison?.wait() === 0) {
      // After each step news goes first.
      this.isQuiet = false
      await comparison.step(this.parent.id, { child, line }, signal)
      return { type: 'pulled', news: false, more: false }
    }
    const most = comparison ? Math.ceil(comparison.wait() / 1_000) : wait
    const { news, more, page, sent } = await child.pull(Math.min(wait, most), signal)
    this.isQuiet = wait > 0 && !news && !more
    const { copied, total } = page
    events.copying(copied === null || total === null ? null : { copied, total })
    if (this.centre) events.reached(this.centre.heard(page, sent))
    if (!more) events.carryFiles()
    return { type: 'pulled', news, more }
  }
}

const OBSTACLES: Readonly<Record<string, Obstacle>> = { [NOT_AUTHENTIC]: 'altered', [PARENT_OLDER]: 'parent_older' }

/**
 * How many greetings in a row the parent says were not signed by whom it enrolled. One may have been altered on its way; of several this
 * database has other keys than it joined with: it was put back where the secret is another.
 */
const UNPROVED = 3
const isUnproved = (error: unknown) => error instanceof LineFailure && error.code === 'sync.bad_signature'

/** What a failure means for the machine. */
export function meaningOf(error: unknown): 'line' | 'session' | Barred {
  if (!(error instanceof LineFailure)) return 'line'
  return error.means === 'request' ? 'line' : error.means
}
