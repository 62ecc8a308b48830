/**
 * What a child does next (SPEC, «The machine»). Pure: no clock, network or database. Every decision is made here; the driver carries
 * effects out and reports what came of them as events.
 */
export type State =
  | { kind: 'stopped' }
  /** `unsent`: there may be something here that the parent lacks. */
  | { kind: 'greeting'; failures: number; unsent: boolean }
  | { kind: 'renewing' }
  /**
   * `pending`: something was written meanwhile, and goes out before the node listens. `heard`: the node listened until now, and goes on
   * listening, which is answered at once where there is news.
   */
  | { kind: 'pushing'; pending: boolean; heard: boolean }
  | { kind: 'pulling'; pending: boolean }
  | { kind: 'listening' }
  /** What is here is sent and then erased; nothing follows. */
  | { kind: 'wiping' }
  /** `hurried`: a local write has shortened this wait already. */
  | { kind: 'waiting'; failures: number; unsent: boolean; hurried: boolean }
  | { kind: 'barred'; why: Barred }
export type Barred = 'revoked' | 'upgrade'

export type Event =
  | { type: 'start' }
  | { type: 'stop' }
  /** `anew`: the child must begin another incarnation (SPEC, «Incarnations»). `wipe`: the parent orders the child to erase itself. */
  | { type: 'welcomed'; anew: boolean; wipe: boolean }
  | { type: 'renewed' }
  | { type: 'wiped' }
  /** `more`: there is more of the own feed to send. */
  | { type: 'pushed'; more: boolean }
  /** `news`: rows came; `more`: there are more. */
  | { type: 'pulled'; news: boolean; more: boolean }
  /** This node wrote something. */
  | { type: 'wrote' }
  /** The line may be back, or a person wishes it: the present wait ends. */
  | { type: 'called' }
  | { type: 'woke' }
  | { type: 'failed'; how: 'line' | 'session' | Barred }

export type Effect =
  | { do: 'greet' | 'renew' | 'push' | 'pull' | 'listen' | 'hangUp' | 'wipe' }
  | { do: 'sleep'; ms: number }
  | { do: 'tell'; notice: Notice }
export type Notice = 'connected' | 'up_to_date' | 'offline' | Barred

export type Step = { state: State; effects: readonly Effect[] }
/**
 * How long a child waits after a failure, in ms: `firstMs`, then twice as long each time, up to `maxMs`, or up to `maxUnsentMs` while
 * something is unsent; `afterWriteMs` once something is written, for the line may be back by then.
 */
export type Bounds = { firstMs: number; maxMs: number; maxUnsentMs: number; afterWriteMs: number }

const stay = (state: State): Step => ({ state, effects: [] })
const go = (kind: 'renewing' | 'listening' | 'wiping', ...effects: Effect[]): Step => ({ state: { kind }, effects })
const greet = (failures = 0, unsent = true): Step => ({ state: { kind: 'greeting', failures, unsent }, effects: [{ do: 'greet' }] })
const push = (heard: boolean, ...first: Effect[]): Step => ({
  state: { kind: 'pushing', pending: false, heard },
  effects: [...first, { do: 'push' }],
})
const pull = (pending: boolean): Step => ({ state: { kind: 'pulling', pending }, effects: [{ do: 'pull' }] })

/** The next state and its effects. Push comes before pull: what this node has not pulled, its unsent writes had not seen. */
export function step(state: State, event: Event, bounds: Bounds): Step {
  if (event.type === 'stop') return { state: { kind: 'stopped' }, effects: state.kind === 'listening' ? [{ do: 'hangUp' }] : [] }
  if (event.type === 'failed') return state.kind === 'stopped' ? stay(state) : failed(state, event.how, bounds)
  if (event.type === 'called') return called(state)
  switch (state.kind) {
    case 'stopped':
      return event.type === 'start' ? greet() : stay(state)
    case 'greeting':
      if (event.type === 'wrote') return stay(state.unsent ? state : { ...state, unsent: true })
      if (event.type !== 'welcomed') return stay(state)
      if (event.anew) return go('renewing', { do: 'renew' })
      return event.wipe ? go('wiping', { do: 'wipe' }) : push(false, { do: 'tell', notice: 'connected' })
    case 'renewing':
      return event.type === 'renewed' ? greet() : stay(state)
    case 'pushing':
      if (event.type === 'wrote') return stay({ ...state, pending: true })
      if (event.type !== 'pushed') return stay(state)
      if (event.more || (state.heard && state.pending)) return push(state.heard)
      return state.heard ? go('listening', { do: 'listen' }) : pull(state.pending)
    case 'pulling':
      if (event.type === 'wrote') return stay({ ...state, pending: true })
      if (event.type !== 'pulled') return stay(state)
      if (event.more) return pull(state.pending)
      return state.pending ? push(false) : go('listening', { do: 'tell', notice: 'up_to_date' }, { do: 'listen' })
    case 'listening':
      if (event.type === 'wrote') return push(true, { do: 'hangUp' })
      if (event.type !== 'pulled') return stay(state)
      return event.more ? pull(false) : go('listening', { do: 'listen' })
    case 'wiping':
      return event.type === 'wiped' ? { state: { kind: 'stopped' }, effects: [] } : stay(state)
    case 'waiting':
      if (event.type === 'wrote' && !state.hurried)
        return {
          state: { ...state, unsent: true, hurried: true },
          effects: [{ do: 'sleep', ms: Math.min(bounds.afterWriteMs, bounds.maxMs) }],
        }
      return event.type === 'woke' ? greet(state.failures, state.unsent) : stay(state)
    case 'barred':
      return event.type === 'start' ? greet() : stay(state)
  }
}

/**
 * A child that waits tries at once, and so does one that listens, whose connection may be dead unnoticed. A barred child asks again: it may
 * be let in by now.
 */
function called(state: State): Step {
  if (state.kind === 'waiting') return greet(state.failures, state.unsent)
  if (state.kind === 'barred') return greet()
  if (state.kind !== 'listening') return stay(state)
  const { state: next, effects } = greet(0, false)
  return { state: next, effects: [{ do: 'hangUp' }, ...effects] }
}

function failed(state: State, how: 'line' | 'session' | Barred, { firstMs, maxMs, maxUnsentMs: mostUnsent }: Bounds): Step {
  if (how === 'revoked' || how === 'upgrade') return { state: { kind: 'barred', why: how }, effects: [{ do: 'tell', notice: how }] }
  const unsent = isUnsent(state)
  // The session is over: one greeting makes another. If that fails too, it counts as the line.
  if (how === 'session' && state.kind !== 'greeting' && state.kind !== 'waiting') return greet(0, unsent)
  const failures = state.kind === 'waiting' || state.kind === 'greeting' ? state.failures : 0
  return {
    state: { kind: 'waiting', failures: failures + 1, unsent, hurried: false },
    effects: [
      { do: 'tell', notice: 'offline' },
      { do: 'sleep', ms: Math.min(unsent ? mostUnsent : maxMs, firstMs * 2 ** failures) },
    ],
  }
}

function isUnsent(state: State): boolean {
  if (state.kind === 'greeting' || state.kind === 'waiting') return state.unsent
  if (state.kind === 'pulling') return state.pending
  return state.kind !== 'listening'
}
