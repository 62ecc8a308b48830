import type { Vector } from '../versions.ts'

/** Up to which counter the sender of a state answers for the writes of a number; 0 where it does not. */
export type LimitOf = (node: string) => number

/**
 * The vector of a state, cut to what it may claim: for a writer that the sender does not answer for, no more than the receiver's own state
 * of the row has seen (`known`). A greater claim would make a write that comes later count as seen.
 */
export function clipped(vv: Vector, known: Vector, limitOf: LimitOf): Vector {
  const most = Object.entries(vv).map(([node, counter]): [string, number] => [
    node,
    Math.min(counter, Math.max(known[node] ?? 0, limitOf(node))),
  ])
  return Object.fromEntries(most.filter(([, counter]) => counter > 0))
}
