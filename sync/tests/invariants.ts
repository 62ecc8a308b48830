import { canonical, pick, type RowState } from '../merge/state.ts'
import { compareStamps, EXISTENCE, type Stamp } from '../versions.ts'
import { type Core, carried, exchange, isFinal, type Moment, type Run, ruleIn, shapeOf, type Write, writeOf } from './history.ts'

/** Answers what is wrong, or null. */
type Invariant = (run: Run, core: Core) => string | null

const firstOf = <T>(items: Iterable<T>, wrong: (item: T) => string | null): string | null => {
  for (const item of items) {
    const answer = wrong(item)
    if (answer) return answer
  }
  return null
}

const moments = ({ nodes }: Run) => nodes.flatMap(({ past }) => past).filter((each): each is Moment & { state: RowState } => !!each.state)
const isIn = (seen: number, { bit }: Write) => (seen & bit) !== 0
const stateText = ({ id, vv, units, alive, values, extra }: RowState) => canonical([id, vv, units, alive, values, extra])

/** I2 and I6, and more: the vector is exactly what was seen, and covers every stamp and presence. */
const vectorIsWhatWasSeen: Invariant = (run) =>
  firstOf(moments(run), ({ state, seen }) => {
    const expected: Record<string, number> = {}
    for (const write of run.writes) if (isIn(seen, write)) expected[write.node] = Math.max(expected[write.node] ?? 0, write.counter)
    if (canonical(state.vv) !== canonical(expected)) return `vv ${canonical(state.vv)}, seen ${canonical(expected)}`
    const uncovered = [...Object.values(state.units), ...state.alive].find(([node, counter]) => (state.vv[node] ?? 0) < counter)
    return uncovered ? `${uncovered} is not covered by ${canonical(state.vv)}` : null
  })

/** I3, and that a clock which ran ahead reaches no unit but those it wrote. */
const clockOfAUnitRises: Invariant = (run) =>
  firstOf(run.writes, (write) =>
    firstOf(Object.entries(write.hlcs), ([unit, hlc]) => {
      const before = run.writes.filter((each) => isIn(write.seen, each) && unit in each.hlcs).map((each) => each.hlcs[unit] ?? -1)
      const latest = Math.max(-1, ...before)
      const isStepped = typeof ruleIn(run.history.table, unit) === 'object'
      if (hlc <= latest && !isStepped) return `${unit} of ${write.node} ${write.counter}: ${hlc} after ${latest}`
      return hlc > Math.max(write.now, latest + 1) ? `${unit} of ${write.node} ${write.counter} ran ahead: ${hlc}` : null
    }),
  )

/** I4: a row is there by the writes that left it there and that no later write has seen. */
const livesByUnseenWrites: Invariant = (run) =>
  firstOf(moments(run), ({ state, seen }) => {
    const known = run.writes.filter((write) => isIn(seen, write))
    const left = known.filter((write) => !write.deletes && !known.some((later) => isIn(later.seen, write)))
    const names = (dots: readonly (readonly [string, number])[]) => dots.map(([node, counter]) => `${node} ${counter}`).sort()
    const expected = names(left.map(({ node, counter }) => [node, counter]))
    return canonical(names(state.alive)) === canonical(expected) ? null : `alive by ${names(state.alive)}, not by ${expected}`
  })

/** I5, on states that real histories reached, older ones too. */
const mergeIsALattice: Invariant = (run, { mergeRows }) => {
  const { table, events } = run.history
  const reached = moments(run)
  if (reached.length === 0) return null
  const shape = shapeOf(table, true)
  const merge = (a: RowState, b: RowState) => mergeRows(table, shape, a, b)
  const chosen = (place: number) => carried(table, (reached[place % reached.length] as Moment & { state: RowState }).state, shape)
  const salt = events.reduce((sum, { units, value }) => sum + units + value, 0)
  const [a, b, c] = [chosen(salt), chosen(salt * 7 + 1), chosen(salt * 13 + 3)]
  const [ab, ba] = [merge(a, b), merge(b, a)]
  const losersOf = ({ losers }: typeof ab) => canonical(losers.map(canonical).sort())
  if (stateText(ab.state) !== stateText(ba.state)) return `not commutative: ${stateText(ab.state)} | ${stateText(ba.state)}`
  if (losersOf(ab) !== losersOf(ba)) return `losers differ: ${losersOf(ab)} | ${losersOf(ba)}`
  const [left, right] = [merge(ab.state, c).state, merge(a, merge(b, c).state).state]
  if (stateText(left) !== stateText(right)) return `not associative: ${stateText(left)} | ${stateText(right)}`
  if (stateText(merge(a, a).state) !== stateText(a)) return 'not idempotent'
  const again = merge(ab.state, b)
  return stateText(again.state) === stateText(ab.state) && again.losers.length === 0 ? null : 'seen again, it changes'
}

/** P2: the same bytes at every node, in whatever order they met, whether its program knows every unit or not. */
const sameEverywhere: Invariant = (run, core) => {
  const texts = new Set(exchange(run, core).map(stateText))
  return texts.size > 1 ? [...texts].join(' | ') : null
}

/**
 * P1, I7: each write is current, or was current where a write covered it, or is recorded, or an equal one was in its
 * place.
 */
const nothingIsLost: Invariant = (run, core) => {
  const [final] = exchange(run, core)
  if (!final) return null
  return firstOf(run.writes, (write) =>
    firstOf(Object.keys(write.values), (unit) => {
      if (unit === EXISTENCE ? !write.deletes || final.alive.length === 0 : ruleIn(run.history.table, unit) === 'quiet') return null
      const stamp = final.units[unit]
      const isCurrent = stamp?.[0] === write.node && stamp[1] === write.counter
      if (isCurrent && unit !== EXISTENCE) return sameValue(run, final, unit, write)
      const kept = (run.covered[unit] ?? 0) | (run.recorded[unit] ?? 0) | (run.absorbed[unit] ?? 0)
      return isIn(kept, write) ? null : `${unit} of ${write.node} ${write.counter} is nowhere`
    }),
  )
}

const sameValue = ({ history }: Run, { values }: RowState, unit: string, write: Write) => {
  const columns = shapeOf(history.table, true).units[unit] ?? []
  const stands = Object.fromEntries(columns.map((column) => [column, values[column]]))
  return canonical(stands) === canonical(pick(write.values[unit] ?? {}, columns)) ? null : `${unit} stands as ${canonical(stands)}`
}

const recordsAreTrue: Invariant = ({ untrue }) => untrue[0] ?? null

/** By the rule of each unit, from the writes alone: the latest of all stands; or what is final, or the furthest step. */
const standsByItsRule: Invariant = (run, core) => {
  const [final] = exchange(run, core)
  if (!final) return null
  const { table } = run.history
  return firstOf(Object.entries(final.units), ([unit, stamp]) => {
    const of = run.writes.filter((write) => unit in write.values)
    const stampOf = (write: Write): Stamp => [write.node, write.counter, write.hlcs[unit] ?? -1, null]
    const rule = ruleIn(table, unit)
    const winner = writeOf(run, stamp)
    if (typeof rule !== 'object') {
      const later = of.find((write) => compareStamps(stampOf(write), stampOf(winner)) > 0)
      return later ? `${unit}: ${later.node} ${later.counter} is later than ${winner.node} ${winner.counter}` : null
    }
    const step = (write: Write) => rule.furthest.indexOf(String(write.values[unit]?.[rule.of]))
    if (of.some((write) => isFinal(rule, write.values[unit] ?? {})))
      return isFinal(rule, winner.values[unit] ?? {}) ? null : `${unit} was undone`
    const isMadeAnew = run.writes.some((write) => write.again)
    return !isMadeAnew && of.some((write) => step(write) > step(winner)) ? `${unit} went back` : null
  })
}

/** What a unit remembers of its highest value is the highest that was ever written. */
const highestIsKept: Invariant = (run, core) => {
  const [final] = exchange(run, core)
  return firstOf(Object.entries(final?.units ?? {}), ([unit, [, , , , high]]) => {
    const written = run.writes.flatMap((write) => (unit in write.values ? (write.highs[unit] ?? []) : []))
    const expected = written.length > 0 ? Math.max(...written) : undefined
    return typeof ruleIn(run.history.table, unit) === 'object' || high === expected ? null : `${unit}: ${high}, not ${expected}`
  })
}

export const invariants = {
  'a vector is exactly what was seen, and covers every stamp and presence (I2, I6)': vectorIsWhatWasSeen,
  'a write that saw another has the later clock, and no clock reaches another unit (I3)': clockOfAUnitRises,
  'a row is there by the writes that nothing which saw them took away (I4)': livesByUnseenWrites,
  'merging is commutative, associative and idempotent, on old states too (I5)': mergeIsALattice,
  'all nodes end with the same bytes, in whatever order they meet (P2)': sameEverywhere,
  'every write is current, covered by one that saw it, or recorded (P1, I7)': nothingIsLost,
  'a record is of a write as it was written, that the other side had not seen (I7)': recordsAreTrue,
  'what stands follows from the writes and the rule; what is final is never undone (P3)': standsByItsRule,
  'the highest value that a unit ever had is kept': highestIsKept,
} satisfies Record<string, Invariant>
