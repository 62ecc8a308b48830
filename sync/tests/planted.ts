import type { Replicated } from '@markbook/shared/tables/tables'
import type { Loser, Merged } from '../merge/merge.ts'
import { pick, type RowState, type Shape, type Values } from '../merge/state.ts'
import type { LocalWrite } from '../stamp.ts'
import { covers, EXISTENCE, type Stamp, type Versions } from '../versions.ts'
import type { Core } from './history.ts'

type Merge = Core['mergeRows']
type Stamping = Core['stamp']
type Sides = { table: Replicated; shape: Shape; a: RowState; b: RowState }

/** The right merge, and then something done to its answer. */
const merging =
  (change: (merged: Merged, sides: Sides) => Partial<{ state: Partial<RowState>; losers: readonly Loser[] }>) =>
  (core: Core): Core => {
    const mergeRows: Merge = (table, shape, a, b) => {
      const merged = core.mergeRows(table, shape, a, b)
      const { state = {}, losers = merged.losers } = change(merged, { table, shape, a, b })
      return { state: { ...merged.state, ...state }, losers }
    }
    return { ...core, mergeRows }
  }

const stamping =
  (change: (stamped: Versions, previous: Versions | null, write: LocalWrite) => Partial<Versions>) =>
  (core: Core): Core => {
    const stamp: Stamping = (previous, write) => {
      const stamped = core.stamp(previous, write)
      return { ...stamped, ...change(stamped, previous, write) }
    }
    return { ...core, stamp }
  }

/** The units that `choose` names stand as one side has them, whatever is right. */
function standingBy({ shape, a, b }: Sides, { state }: Merged, choose: (unit: string, of: { a: Stamp; b: Stamp }) => RowState | null) {
  const units: Record<string, Stamp> = { ...state.units }
  let values: Values = state.values
  for (const unit of Object.keys(units)) {
    const [first, second] = [a.units[unit], b.units[unit]]
    const side = first && second ? choose(unit, { a: first, b: second }) : null
    const columns = unit === EXISTENCE ? shape.identity : shape.units[unit]
    if (!side || !columns) continue
    units[unit] = side.units[unit] as Stamp
    values = { ...values, ...pick(side.values, columns) }
  }
  return { state: { units, values } }
}

const mapped = (units: Versions['units'], change: (stamp: Stamp, unit: string) => Stamp) =>
  Object.fromEntries(Object.entries(units).map(([unit, each]) => [unit, change(each, unit)]))
const withClock = (each: Stamp, hlc: number): Stamp => [each[0], each[1], hlc, ...each.slice(3)] as unknown as Stamp
const withoutHigh = ([node, counter, hlc, actor]: Stamp): Stamp => [node, counter, hlc, actor]

const wallClock = stamping(({ units }, _, write) => ({
  units: mapped(units, (each) => (each[0] === write.node && Number.isNaN(Number(each[1])) ? withClock(each, write.now) : each)),
}))
const latest = (state: RowState) => Math.max(...Object.values(state.units).map(([, , hlc]) => hlc))
const key = (dot: readonly unknown[]) => dot.slice(0, 2).join(' ')

const MADE_ANEW = 'a row that is made anew counts its steps with the old ones'
type Plant = (core: Core) => Core

/** Mistakes that somebody could make in the core. */
const plants: Readonly<Record<string, Plant>> = {
  'losers are dropped': merging(() => ({ losers: [] })),
  'only the other side’s losers are kept': merging(({ losers }, { a }) => ({
    losers: losers.filter(({ unit, stamp }) => key(a.units[unit] ?? []) !== key(stamp)),
  })),
  'a loser is recorded without its value': merging(({ losers }) => ({ losers: losers.map((each) => ({ ...each, value: {} })) })),
  'a loser is recorded as the winner’s': merging(({ losers, state }) => ({
    losers: losers.map((each) => ({ ...each, stamp: state.units[each.unit] as Stamp })),
  })),
  'what was seen is recorded as lost': merging(({ losers, state }, { a, b }) => ({
    losers: [
      ...losers,
      ...[a, b].flatMap((side) =>
        Object.entries(side.units)
          .filter(([unit, stamp]) => unit in side.values && key(stamp) !== key(state.units[unit] ?? []))
          .map(([unit, stamp]): Loser => ({ unit, kind: 'value', value: { [unit]: side.values[unit] }, stamp, rule: 'later' })),
      ),
    ],
  })),
  'a deletion is overruled without a record': merging(({ losers }) => ({ losers: losers.filter(({ kind }) => kind !== 'delete') })),
  'the vectors are not joined': merging((_, { a }) => ({ state: { vv: a.vv } })),
  'the vector of the later side is taken': merging((_, { a, b }) => ({ state: { vv: latest(a) >= latest(b) ? a.vv : b.vv } })),
  'a write forgets what the row had seen': stamping(({ vv }, _, { node }) => ({ vv: { [node]: vv[node] as number } })),
  'a presence is kept although it is covered': merging((_, { a, b }) => ({
    state: { alive: [...new Map([...a.alive, ...b.alive].map((each) => [key(each), each])).values()].sort() },
  })),
  'a presence goes although it was not seen': merging((_, { a, b }) => ({
    state: { alive: a.alive.filter((each) => b.alive.some((other) => key(other) === key(each))) },
  })),
  'a deletion beats an edit that it had not seen': merging((_, { a, b }) =>
    a.alive.length * b.alive.length === 0 ? { state: { alive: [] } } : {},
  ),
  'an edit does not say that the row is there': stamping((stamped, previous, { units, deletes }) => ({
    alive: !deletes && previous && !units.includes(EXISTENCE) ? previous.alive : stamped.alive,
  })),
  'a deletion leaves what it saw': stamping((stamped, previous) => ({ alive: [...(previous?.alive ?? []), ...stamped.alive] })),
  'a deletion has no stamp of its own': stamping((stamped, previous, { deletes }) => ({
    units: deletes && previous ? previous.units : stamped.units,
  })),
  'the clock rises for the whole row': stamping(({ units }, previous, { node }) => ({
    units: mapped(units, (each) =>
      previous && each[0] === node && Number.isNaN(Number(each[1]))
        ? withClock(each, Math.max(each[2], 1 + Math.max(...Object.values(previous.units).map(([, , hlc]) => hlc))))
        : each,
    ),
  })),
  'the clock of a unit does not rise': wallClock,
  'the wall clock decides what is newer': (core) =>
    wallClock(
      merging((merged, sides) => ({ ...standingBy(sides, merged, (_, { a, b }) => (a[2] >= b[2] ? sides.a : sides.b)), losers: [] }))(core),
    ),
  'of two at the same instant the own stands': merging((merged, sides) =>
    standingBy(sides, merged, (_, { a, b }) => (a[2] === b[2] && !covers(sides.b.vv, a) ? sides.a : null)),
  ),
  'the earlier stands': merging((merged, sides) =>
    standingBy(sides, merged, (_, { a, b }) => (covers(sides.a.vv, b) || covers(sides.b.vv, a) ? null : a[2] < b[2] ? sides.a : sides.b)),
  ),
  'the row is one unit': merging((merged, sides) =>
    standingBy(sides, merged, () => (latest(sides.a) >= latest(sides.b) ? sides.a : sides.b)),
  ),
  'the furthest step is ignored': merging((merged, sides) =>
    standingBy(sides, merged, (unit, { a, b }) =>
      unit !== 'status' || covers(sides.a.vv, b) || covers(sides.b.vv, a) ? null : a[2] > b[2] ? sides.a : sides.b,
    ),
  ),
  'the furthest step stands even where it was seen and left': merging((merged, sides) =>
    standingBy(sides, merged, (unit) => {
      const steps = ['draft', 'pending', 'published', 'rejected', 'sent_to_ministry', 'approved']
      const [first, second] = [sides.a, sides.b].map(({ values }) => steps.indexOf(String(values['status']))) as [number, number]
      return unit !== 'status' || first === second ? null : first > second ? sides.a : sides.b
    }),
  ),
  [MADE_ANEW]: (core) => ({ ...core, furthestOf: () => [] }),
  'a unit that is absent is empty': merging((merged, sides) => {
    const missing = Object.keys(sides.shape.units).find((unit) => !sides.a.units[unit] && sides.b.units[unit])
    const columns = sides.shape.units[missing ?? ''] ?? []
    return { state: { values: { ...merged.state.values, ...Object.fromEntries(columns.map((column) => [column, null])) } } }
  }),
  'units of a newer schema are dropped': merging(() => ({ state: { extra: null } })),
  'the highest value is the winner’s': merging(({ state }, { a, b }) => ({
    state: {
      units: mapped(state.units, (each, unit) => {
        const winner = [a, b].map((side) => side.units[unit]).find((own) => own && key(own) === key(each))
        return winner ?? each
      }),
    },
  })),
  'a lower value forgets the highest': stamping(({ units }, _, { high = {} }) => ({
    units: mapped(units, (each, unit) => (high[unit] === undefined ? each : ([...withoutHigh(each), high[unit]] as unknown as Stamp))),
  })),
  'a unit without its stamp keeps its value': merging(({ state }, { a, b }) => ({
    state: { units: mapped(state.units, (each, unit) => (latest(a) > latest(b) ? (a.units[unit] ?? each) : (b.units[unit] ?? each))) },
  })),
}

/** `among`: the tables in whose histories a mistake shows soon enough; null for all. */
export const planted = Object.fromEntries(
  Object.entries(plants).map(([name, plant]): [string, { plant: Plant; among: readonly Replicated[] | null }] => [
    name,
    { plant, among: name === MADE_ANEW ? ['report_book'] : null },
  ]),
)
