import { compareStamps, EXISTENCE, LAST_MOMENT, type Stamp, type Versions } from './versions.ts'

/**
 * Stands for the counter of the transaction that is being written. The counter is only known when the school's feed is advanced, by the
 * last statement before the commit; the store then puts it in place. In a vector and a dot it counts as a number.
 */
export const PENDING = '#' as unknown as number

/**
 * `now` in ms. `deletes`: the write removes the row. `high`: values of units that keep the highest value of a column; `furthest`: units
 * whose rule is a list of steps (both `policy.ts`).
 */
export type LocalWrite = {
  units: readonly string[]
  node: string
  now: number
  actor: string | null
  deletes?: boolean
  high?: Readonly<Record<string, number>>
  furthest?: readonly string[]
}

/** A clock beyond this counts as this, so that a thousand writes a second for a year can still follow what it wrote. */
export const LATEST_CLOCK = LAST_MOMENT - 31_536_000_000

/**
 * Whether a program can have given this clock to a write of a unit. `before`: the clock of the write that stands. An invented one, close to
 * the last moment, leaves no later clock to whoever corrects the write.
 */
export const isPossibleClock = (hlc: number, before = 0): boolean => hlc <= Math.max(LATEST_CLOCK, before) + MOST_UNSEEN_WRITES
/** More often than this nobody writes one unit between two pushes. */
const MOST_UNSEEN_WRITES = 100_000

/**
 * The versions of a row after a local write of `units`. Each unit gets a new dot and `hlc = max(now, previous hlc of this unit + 1)`, so
 * that a clock that ran ahead holds back only the units it wrote. A write that does not delete says that the row exists; a row that was
 * deleted, and stayed for rows that name it, exists again by it. A row that is made anew starts its steps from the first, and that is no
 * step back: such units count how often.
 */
export function stamp(previous: Versions | null, write: LocalWrite): Versions {
  const { units, node, now, actor, deletes = false, high = {}, furthest = [] } = write
  const stamps: Record<string, Stamp> = { ...previous?.units }
  const wasDeleted = previous !== null && previous.alive.length === 0
  const isMadeAnew = !deletes && (wasDeleted || (previous !== null && units.includes(EXISTENCE)))
  const written = wasDeleted && !units.includes(EXISTENCE) ? [EXISTENCE, ...units] : units
  for (const unit of written) {
    const before = stamps[unit]
    const hlc = Math.max(Math.min(now, LATEST_CLOCK), (before?.[2] ?? -1) + 1)
    const again = isMadeAnew && furthest.includes(unit) ? (before?.[4] ?? 0) + 1 : undefined
    const reached = highest(highest(before?.[4], high[unit]), again)
    stamps[unit] = reached === undefined ? [node, PENDING, hlc, actor] : [node, PENDING, hlc, actor, reached]
  }
  return { vv: { ...previous?.vv, [node]: PENDING }, units: stamps, alive: deletes ? [] : [[node, PENDING]] }
}

export const highest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.max(a, b)

/**
 * The latest stamp of a row's units: its time and actor are the row's `updated_at` and `updated_by` on every node. Throws where there is no
 * stamp.
 */
export function latestStamp(units: Readonly<Record<string, Stamp>>): Stamp {
  const [first, ...rest] = Object.values(units)
  if (!first) throw new Error('a row without a stamp')
  return rest.reduce((latest, each) => (compareStamps(each, latest) > 0 ? each : latest), first)
}
