/** Everything that happens by chance in a world follows from one seed. */
export type Chance = {
  /** From 0 to below 1. */
  next(): number
  /** A whole number from 0 to below `most`. */
  below(most: number): number
  /** True in that part of all cases. */
  often(part: number): boolean
  pick<T>(from: readonly T[]): T
  /** By name: the weights say how often. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K
}

/** Mulberry32: small, and the same on every machine. */
export function chanceOf(seed: number): Chance {
  let state = (seed * 0x9e3779b1 + 0x85ebca6b) >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (most: number) => Math.floor(next() * most)
  return {
    next,
    below,
    often: (part) => next() < part,
    pick: (from) => {
      if (from.length === 0) throw new Error('nothing to pick from')
      return from[below(from.length)] as never
    },
    weighted: (weights) => {
      const entries = Object.entries<number>(weights)
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [name, weight] of entries) {
        left -= weight
        if (left < 0) return name as never
      }
      return entries[0]?.[0] as never
    },
  }
}
