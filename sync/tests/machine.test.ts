import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Effect, type Event, type State, step } from '../machine.ts'

const bounds = { firstMs: 1_000, maxMs: 30_000, maxUnsentMs: 5_000, afterWriteMs: 2_000 }

const states: Record<State['kind'], State> = {
  stopped: { kind: 'stopped' },
  greeting: { kind: 'greeting', failures: 0, unsent: true },
  renewing: { kind: 'renewing' },
  pushing: { kind: 'pushing', pending: false, heard: false },
  pulling: { kind: 'pulling', pending: false },
  listening: { kind: 'listening' },
  wiping: { kind: 'wiping' },
  waiting: { kind: 'waiting', failures: 1, unsent: false, hurried: false },
  barred: { kind: 'barred', why: 'revoked' },
}
const events = {
  start: { type: 'start' },
  stop: { type: 'stop' },
  welcomed: { type: 'welcomed', anew: false, wipe: false },
  'welcomed, anew': { type: 'welcomed', anew: true, wipe: false },
  'welcomed, to be wiped': { type: 'welcomed', anew: false, wipe: true },
  wiped: { type: 'wiped' },
  renewed: { type: 'renewed' },
  'pushed, more': { type: 'pushed', more: true },
  pushed: { type: 'pushed', more: false },
  'pulled, more': { type: 'pulled', news: true, more: true },
  pulled: { type: 'pulled', news: false, more: false },
  wrote: { type: 'wrote' },
  woke: { type: 'woke' },
  called: { type: 'called' },
  'the line fails': { type: 'failed', how: 'line' },
  'the session ended': { type: 'failed', how: 'session' },
  revoked: { type: 'failed', how: 'revoked' },
} as const satisfies Record<string, Event>
type EventName = keyof typeof events

/** Where each event leads, and what is done; a dash: nothing happens. A missing cell does not compile. */
const table: Record<State['kind'], Record<EventName, string>> = {
  stopped: row({ start: 'greeting greet', stop: 'stopped' }),
  greeting: row({
    stop: 'stopped',
    welcomed: 'pushing tell push',
    'welcomed, anew': 'renewing renew',
    'welcomed, to be wiped': 'wiping wipe',
    'the line fails': 'waiting tell sleep',
    'the session ended': 'waiting tell sleep',
    revoked: 'barred tell',
  }),
  renewing: row({
    stop: 'stopped',
    renewed: 'greeting greet',
    'the line fails': 'waiting tell sleep',
    'the session ended': 'greeting greet',
    revoked: 'barred tell',
  }),
  pushing: row({
    stop: 'stopped',
    'pushed, more': 'pushing push',
    pushed: 'pulling pull',
    wrote: 'pushing',
    'the line fails': 'waiting tell sleep',
    'the session ended': 'greeting greet',
    revoked: 'barred tell',
  }),
  pulling: row({
    stop: 'stopped',
    'pulled, more': 'pulling pull',
    pulled: 'listening tell listen',
    wrote: 'pulling',
    'the line fails': 'waiting tell sleep',
    'the session ended': 'greeting greet',
    revoked: 'barred tell',
  }),
  listening: row({
    stop: 'stopped hangUp',
    called: 'greeting hangUp greet',
    'pulled, more': 'pulling pull',
    pulled: 'listening listen',
    wrote: 'pushing hangUp push',
    'the line fails': 'waiting tell sleep',
    'the session ended': 'greeting greet',
    revoked: 'barred tell',
  }),
  wiping: row({
    stop: 'stopped',
    wiped: 'stopped',
    'the line fails': 'waiting tell sleep',
    'the session ended': 'greeting greet',
    revoked: 'barred tell',
  }),
  waiting: row({
    stop: 'stopped',
    wrote: 'waiting sleep',
    woke: 'greeting greet',
    called: 'greeting greet',
    'the line fails': 'waiting tell sleep',
    'the session ended': 'waiting tell sleep',
    revoked: 'barred tell',
  }),
  barred: row({
    start: 'greeting greet',
    stop: 'stopped',
    called: 'greeting greet',
    'the line fails': 'waiting tell sleep',
    'the session ended': 'greeting greet',
    revoked: 'barred tell',
  }),
}

function row(cells: Partial<Record<EventName, string>>): Record<EventName, string> {
  return Object.fromEntries(Object.keys(events).map((name) => [name, cells[name as EventName] ?? '-'])) as Record<EventName, string>
}

const said = (before: State, { state, effects }: { state: State; effects: readonly Effect[] }) =>
  state === before && effects.length === 0 ? '-' : [state.kind, ...effects.map((effect) => effect.do)].join(' ')

describe.each(Object.keys(table) as State['kind'][])('a child that is %s', (kind) => {
  test.each(Object.entries(table[kind]))('%s → %s', (event, expected) => {
    expect(said(states[kind], step(states[kind], events[event as EventName], bounds))).toBe(expected)
  })
})

const anyEvent = fc.constantFrom(...Object.values(events))

test('whatever happens, a child that was not stopped or barred always has something under way', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 60 }), (happened) => {
      let state: State = { kind: 'stopped' }
      let underWay = 0
      for (const event of happened) {
        const next = step(state, event, bounds)
        const working = next.effects.filter(({ do: what }) =>
          ['greet', 'renew', 'push', 'pull', 'listen', 'sleep', 'wipe'].includes(what),
        ).length
        // One thing at a time: what is under way has ended where an event moved the child on.
        underWay = next.state.kind === state.kind && working === 0 ? underWay : working
        expect(working).toBeLessThanOrEqual(1)
        state = next.state
        expect(underWay).toBe(state.kind === 'stopped' || state.kind === 'barred' ? 0 : 1)
      }
    }),
  )
})

test('waiting grows with each failure up to its bound, and begins anew after a greeting that was answered', () => {
  let state: State = { kind: 'greeting', failures: 0, unsent: false }
  const waits: number[] = []
  for (let time = 0; time < 12; time += 1) {
    const failed = step(state, { type: 'failed', how: 'line' }, bounds)
    for (const effect of failed.effects) if (effect.do === 'sleep') waits.push(effect.ms)
    state = step(failed.state, { type: 'woke' }, bounds).state
  }
  expect(waits.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000])
  expect(Math.max(...waits)).toBe(30_000)
  const welcomed = step(state, { type: 'welcomed', anew: false, wipe: false }, bounds).state
  expect(step(welcomed, { type: 'failed', how: 'line' }, bounds).effects).toContainEqual({ do: 'sleep', ms: 1_000 })
})

test('a child that listened sends and goes on listening, without a question in between', () => {
  const sending = step({ kind: 'listening' }, { type: 'wrote' }, bounds)
  expect(sending.effects).toEqual([{ do: 'hangUp' }, { do: 'push' }])
  const more = step(sending.state, { type: 'pushed', more: true }, bounds)
  expect(more).toEqual({ state: sending.state, effects: [{ do: 'push' }] })
  expect(step(more.state, { type: 'pushed', more: false }, bounds)).toEqual({ state: { kind: 'listening' }, effects: [{ do: 'listen' }] })
})

test('what it writes meanwhile goes out before it listens again', () => {
  const sending = step({ kind: 'listening' }, { type: 'wrote' }, bounds).state
  const pending = step(sending, { type: 'wrote' }, bounds).state
  expect(step(pending, { type: 'pushed', more: false }, bounds)).toEqual({ state: sending, effects: [{ do: 'push' }] })
})

test('what was written while pages came goes out before the child listens', () => {
  const pushed = step({ kind: 'pushing', pending: false, heard: false }, { type: 'wrote' }, bounds)
  const pulling = step(pushed.state, { type: 'pushed', more: false }, bounds)
  const after = step(pulling.state, { type: 'pulled', news: true, more: false }, bounds)
  expect(after).toEqual({ state: { kind: 'pushing', pending: false, heard: false }, effects: [{ do: 'push' }] })
})

const sleeps = ({ effects }: { effects: readonly Effect[] }) => effects.flatMap((effect) => (effect.do === 'sleep' ? [effect.ms] : []))

test('while something waits to be sent, a child tries more often, however long the line has been down', () => {
  const long: State = { kind: 'greeting', failures: 9, unsent: true }
  expect(sleeps(step(long, { type: 'failed', how: 'line' }, bounds))).toEqual([5_000])
  const sending = step({ kind: 'pushing', pending: false, heard: false }, { type: 'failed', how: 'line' }, bounds).state
  expect(sending).toMatchObject({ kind: 'waiting', unsent: true })
})

test('a write hurries a child that waits, once for each try, so that a stream of them neither hammers nor puts the try off', () => {
  const waiting: State = { kind: 'waiting', failures: 9, unsent: false, hurried: false }
  const hurried = step(waiting, { type: 'wrote' }, bounds)
  expect(sleeps(hurried)).toEqual([2_000])
  expect(step(hurried.state, { type: 'wrote' }, bounds)).toEqual({ state: hurried.state, effects: [] })
  const again = step(step(hurried.state, { type: 'woke' }, bounds).state, { type: 'failed', how: 'line' }, bounds)
  expect(sleeps(again)).toEqual([5_000])
  expect(sleeps(step(again.state, { type: 'wrote' }, bounds))).toEqual([2_000])
})
