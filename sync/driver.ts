import { type Barred, type Bounds, type Effect, type Event, type Notice, type State, step } from './machine.ts'

/** What the driver carries effects out with: the store and the line of a real node, or those of a simulation. */
export type Ports = {
  greet(): Promise<{ anew: boolean; wipe: boolean }>
  renew(): Promise<void>
  /** Sends what is unsent, and closes this node for good. */
  wipe(): Promise<void>
  push(): Promise<{ more: boolean }>
  /** `wait` in seconds: how long the parent may take to have news. */
  pull(wait: number, signal: AbortSignal): Promise<{ news: boolean; more: boolean }>
  /** Runs `then` after `ms`; returns a function that calls it off. */
  later(ms: number, then: () => void): () => void
  /** Between 0 and 1. */
  random(): number
  tell(notice: Notice, reason: string | null): void
  /** What a failure means: the line, the session, or that the parent refuses this node. */
  meaningOf(error: unknown): 'line' | 'session' | Barred
}

/** Carries out what the machine decides, and decides nothing itself. */
export class Driver {
  private current: State = { kind: 'stopped' }
  private listening: AbortController | null = null
  private callOff = () => {}
  private last: string | null = null
  private busy: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly ports: Ports,
    private readonly bounds: Bounds & { longPollSeconds: number },
  ) {}

  get state(): State {
    return this.current
  }

  start = () => this.happen({ type: 'start' })
  /** This node wrote something that its parent should have. */
  wrote = () => this.happen({ type: 'wrote' })
  /** The line may be back, or somebody wishes it. */
  call = () => this.happen({ type: 'called' })
  /** Ends what is under way. */
  async stop(): Promise<void> {
    this.happen({ type: 'stop' })
    this.callOff()
    this.listening?.abort()
    await this.busy.catch(() => {})
  }

  private happen(event: Event): void {
    const before = this.current
    const { state, effects } = step(before, event, this.bounds)
    this.current = state
    // Any effect ends the present wait, or puts another in its place.
    if (effects.length > 0) this.callOff()
    for (const effect of effects) this.carryOut(effect)
  }

  private carryOut(effect: Effect): void {
    switch (effect.do) {
      case 'tell':
        this.ports.tell(effect.notice, this.last)
        break
      case 'hangUp':
        this.listening?.abort()
        break
      case 'sleep':
        this.callOff = this.ports.later(effect.ms * (0.5 + this.ports.random() / 2), () => this.happen({ type: 'woke' }))
        break
      case 'greet':
        this.run(async () => ({ type: 'welcomed', ...(await this.ports.greet()) }))
        break
      case 'renew':
        this.run(async () => {
          await this.ports.renew()
          return { type: 'renewed' }
        })
        break
      case 'wipe':
        this.run(async () => {
          await this.ports.wipe()
          return { type: 'wiped' }
        })
        break
      case 'push':
        this.run(async () => ({ type: 'pushed', ...(await this.ports.push()) }))
        break
      case 'pull':
        this.run(async () => ({ type: 'pulled', ...(await this.ports.pull(0, new AbortController().signal)) }))
        break
      case 'listen':
        this.listen()
    }
  }

  private listen(): void {
    const call = new AbortController()
    this.listening = call
    this.run(async () => {
      const heard = await this.ports.pull(this.bounds.longPollSeconds, call.signal)
      return call.signal.aborted ? null : { type: 'pulled', ...heard }
    }, call.signal)
  }

  private run(work: () => Promise<Event | null>, given?: AbortSignal): void {
    this.busy = work().then(
      (event) => {
        if (event && this.current.kind !== 'stopped') this.happen(event)
      },
      (error: unknown) => {
        // The failure of an aborted request does not count.
        if (given?.aborted) return
        this.last = error instanceof Error ? error.message : String(error)
        this.happen({ type: 'failed', how: this.ports.meaningOf(error) })
      },
    )
  }
}
