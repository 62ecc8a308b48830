/** The last hybrid clock that a write may bear, ms: the end of the year 9999, beyond which neither database can tell the time. */
export const LAST_MOMENT = 253_402_300_799_999

/** {node: counter}: everything that a state has seen, for each node up to and including that counter. */
export type Vector = Readonly<Record<string, number>>

/**
 * A merge unit's last write: the node and its counter (together the dot), the hybrid clock in ms, who, and for a few units the
 * highest value that one of its columns ever had, or how often the row was made anew (`policy.ts`, `highsOf`, `furthestOf`).
 */
export type Stamp = readonly [node: string, counter: number, hlc: number, actor: string | null, high?: number]

/** A write that says that a row exists. A row whose set of them is empty is deleted. */
export type Presence = readonly [node: string, counter: number]

/** What is known of a row besides its values. */
export type Versions = { vv: Vector; units: Readonly<Record<string, Stamp>>; alive: readonly Presence[] }

/** Unit that carries a row's identity: stamped by creation and deletion. */
export const EXISTENCE = 'row'
/** Key of the presences within the stored units; no unit is called so. */
const ALIVE = 'alive'

export const covers = (seen: Vector, [node, counter]: readonly [string, number, ...unknown[]]): boolean => (seen[node] ?? 0) >= counter

/** Everything that either has seen. */
export function join(a: Vector, b: Vector): Vector {
  const joined: Record<string, number> = { ...a }
  for (const [node, counter] of Object.entries(b)) joined[node] = Math.max(joined[node] ?? 0, counter)
  return sorted(joined)
}

export const sameDot = (a: Stamp, b: Stamp): boolean => a[0] === b[0] && a[1] === b[1]

/** By hybrid clock, then node, then counter. Above zero where `a` is the later. A write that saw another is always later. */
export const compareStamps = (a: Stamp, b: Stamp): number => a[2] - b[2] || byText(a[0], b[0]) || a[1] - b[1]

export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Nearly always they are in order already: what travels was stored so. */
function sorted<V>(record: Readonly<Record<string, V>>): Readonly<Record<string, V>> {
  const names = Object.keys(record)
  if (names.every((name, at) => at === 0 || (names[at - 1] as string) < name)) return record
  return Object.fromEntries(names.sort(byText).map((name) => [name, record[name] as V]))
}

const sortedPresences = (alive: readonly Presence[]) => [...alive].sort((a, b) => byText(a[0], b[0]) || a[1] - b[1])

export type VersionsText = { vv: string; units: string }
type Written = Pick<Versions, 'vv' | 'alive'> & { text: VersionsText | null }
/** By units: of versions that many rows share, the text is made once. */
const shared = new WeakMap<Versions['units'], Written>()

/** Many rows bear these very versions. */
export const shareText = ({ vv, units, alive }: Versions): void => void shared.set(units, { vv, alive, text: null })

/** As stored beside a row; equal versions give equal text. */
export function versionsToText(versions: Versions): VersionsText {
  const known = shared.get(versions.units)
  if (known?.vv !== versions.vv || known.alive !== versions.alive) return textOf(versions)
  known.text ??= textOf(versions)
  return known.text
}

const textOf = ({ vv, units, alive }: Versions): VersionsText => ({
  vv: JSON.stringify(sorted(vv)),
  units: JSON.stringify({ ...sorted(units), [ALIVE]: sortedPresences(alive) }),
})

export function textToVersions(stored: VersionsText): Versions {
  const { [ALIVE]: alive = [], ...units } = JSON.parse(stored.units) as Record<string, Stamp> & { alive?: Presence[] }
  return { vv: JSON.parse(stored.vv), units, alive }
}

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
