/** The last hybrid clock that a write may bear, in ms: the end of the year 9999. Neither database can tell a later time. */
export const LAST_MOMENT = 253_402_300_799_999

/** {node: counter}: everything that a state has seen, for each node up to and including that counter. */
export type Vector = Readonly<Record<string, number>>

/**
 * A merge unit's last write: the node and its counter (together the dot), the hybrid clock in ms, who, and for a few units the
 * highest value that one of its columns ever had, or how often the row was made anew (`policy.ts`, `highsOf`, `furthestOf`).
 */
export type Stamp = readonly [node: string, counter: number, hlc: number, actor: string | null, high?: number]

/** A dot of `alive`: a write that says that the row exists. A row without such dots is deleted. */
export type Presence = readonly [node: string, counter: number]

/** What is known of a row besides its values. */
export type Versions = { vv: Vector; units: Readonly<Record<string, Stamp>>; alive: readonly Presence[] }

/** The unit of a row's identity, stamped by creation and deletion. */
export const EXISTENCE = 'row'

/** Whether a vector has seen a write: `seen` reaches its counter. */
export const covers = (seen: Vector, [node, counter]: readonly [string, number, ...unknown[]]): boolean => (seen[node] ?? 0) >= counter

/** The vector of everything that either has seen. */
export function join(a: Vector, b: Vector): Vector {
  const joined: Record<string, number> = { ...a }
  for (const [node, counter] of Object.entries(b)) joined[node] = Math.max(joined[node] ?? 0, counter)
  return sorted(joined)
}

export const sameDot = (a: Stamp | Presence, b: Stamp | Presence): boolean => a[0] === b[0] && a[1] === b[1]

/**
 * Compares by hybrid clock, then node, then counter; above zero where `a` is the later. A write that saw another one of its unit is always
 * later.
 */
export const compareStamps = (a: Stamp, b: Stamp): number => a[2] - b[2] || byText(a[0], b[0]) || a[1] - b[1]

export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Usually they are in order already, since what travels was stored so. */
function sorted<V>(record: Readonly<Record<string, V>>): Readonly<Record<string, V>> {
  const names = Object.keys(record)
  if (names.every((name, at) => at === 0 || (names[at - 1] as string) < name)) return record
  return Object.fromEntries(names.sort(byText).map((name) => [name, record[name] as V]))
}

const sortedPresences = (alive: readonly Presence[]) => [...alive].sort((a, b) => byText(a[0], b[0]) || a[1] - b[1])

export type VersionsText = { vv: string; units: string }
type Written = Pick<Versions, 'vv' | 'alive'> & { text: VersionsText | null }
/** By `units`: the text of versions that many rows share is made once. */
const shared = new WeakMap<Versions['units'], Written>()

/** Notes that many rows share these very versions. */
export const shareText = ({ vv, units, alive }: Versions): void => void shared.set(units, { vv, alive, text: null })

/** As stored beside a row; equal versions give equal text. */
export function versionsToText(versions: Versions): VersionsText {
  const known = shared.get(versions.units)
  if (known?.vv !== versions.vv || known.alive !== versions.alive) return textOf(versions)
  known.text ??= textOf(versions)
  return known.text
}

/** A stamp and the units that bear it. */
type UnitsOfStamp = readonly [units: readonly string[], ...stamp: Stamp]
/** Each stamp once. `alive` is null where it is the dot of the first stamp alone, as after every local write. */
type StoredUnits = readonly [alive: readonly Presence[] | null, ...stamps: UnitsOfStamp[]]
/** The format of the first program: every unit with its stamp, and `alive` under a name that no unit has. */
type FormerUnits = Readonly<Record<string, Stamp>> & { alive?: readonly Presence[] }

const textOf = ({ vv, units, alive }: Versions): VersionsText => ({
  vv: JSON.stringify(sorted(vv)),
  units: JSON.stringify(storedUnits(units, alive)),
})

function storedUnits(units: Versions['units'], alive: Versions['alive']): StoredUnits {
  const stamps = new Map<string, [string[], ...Stamp]>()
  for (const [unit, stamp] of Object.entries(sorted(units))) {
    const key = JSON.stringify(stamp)
    const known = stamps.get(key)
    if (known) known[0].push(unit)
    else stamps.set(key, [[unit], ...stamp])
  }
  const [presence, ...others] = alive
  const all = [...stamps.values()]
  const first =
    presence && others.length === 0 ? all.find(([, node, counter]) => node === presence[0] && counter === presence[1]) : undefined
  return first ? [null, first, ...all.filter((each) => each !== first)] : [sortedPresences(alive), ...all]
}

export function textToVersions(stored: VersionsText): Versions {
  const parsed = JSON.parse(stored.units) as StoredUnits | FormerUnits
  const vv = JSON.parse(stored.vv) as Vector
  if (!isStoredUnits(parsed)) {
    const { alive = [], ...units } = parsed
    return { vv, units, alive }
  }
  const [alive, ...stamps] = parsed
  const units: Record<string, Stamp> = {}
  for (const [names, ...stamp] of stamps) for (const unit of names) units[unit] = stamp
  const [first] = stamps
  return { vv, units: sorted(units), alive: alive ?? (first ? [[first[1], first[2]]] : []) }
}

const isStoredUnits = (parsed: StoredUnits | FormerUnits): parsed is StoredUnits => Array.isArray(parsed)

/** Reads the versions of many rows: equal texts, as rows have that were written together, give the same objects. */
export function versionsReader(): (stored: VersionsText) => Versions {
  const known = new Map<string, { vv: string; versions: Versions }>()
  return (stored) => {
    const before = known.get(stored.units)
    if (before?.vv === stored.vv) return before.versions
    const versions = textToVersions(stored)
    known.set(stored.units, { vv: stored.vv, versions })
    return versions
  }
}
