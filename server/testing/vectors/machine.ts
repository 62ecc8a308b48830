import { limits } from '@markbook/shared/limits'
import { type Event, type State, step } from '@markbook/sync/machine'
import { protocolBackOff } from './declared.ts'

const STATES: State[] = [
  { kind: 'stopped' },
  { kind: 'greeting', failures: 0, unsent: false },
  { kind: 'greeting', failures: 3, unsent: true },
  { kind: 'renewing' },
  { kind: 'pushing', pending: false, heard: false },
  { kind: 'pushing', pending: true, heard: true },
  { kind: 'pulling', pending: false },
  { kind: 'pulling', pending: true },
  { kind: 'listening' },
  { kind: 'wiping' },
  { kind: 'waiting', failures: 1, unsent: false, hurried: false },
  { kind: 'waiting', failures: 4, unsent: true, hurried: true },
  { kind: 'barred', why: 'revoked' },
]
const EVENTS: Event[] = [
  { type: 'start' },
  { type: 'stop' },
  { type: 'welcomed', anew: false, wipe: false },
  { type: 'welcomed', anew: true, wipe: false },
  { type: 'welcomed', anew: false, wipe: true },
  { type: 'wiped' },
  { type: 'renewed' },
  { type: 'pushed', more: false },
  { type: 'pushed', more: true },
  { type: 'pulled', news: false, more: false },
  { type: 'pulled', news: true, more: true },
  { type: 'wrote' },
  { type: 'called' },
  { type: 'woke' },
  { type: 'failed', how: 'line' },
  { type: 'failed', how: 'session' },
  { type: 'failed', how: 'revoked' },
]

/** Every transition of the machine that changes something; all others leave the state unchanged and return no action. */
export function machine() {
  const steps = STATES.flatMap((state) =>
    EVENTS.flatMap((event) => {
      const { state: next, effects } = step(state, event, limits.sync.backOff)
      return JSON.stringify(next) === JSON.stringify(state) && effects.length === 0 ? [] : [{ state, event, next, effects }]
    }),
  )
  return { bounds: protocolBackOff(), steps }
}
