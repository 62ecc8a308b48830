import type { Vector } from '../versions.ts'

/** Up to which counter the sender of a state answers for a writer's dots; 0 for a writer that is not below it. */
export type LimitOf = (node: string) => number

/**
 * What a state may claim to have seen: of a writer that the sender does not answer for, no more than the receiver's own state of the row has
 * seen. A claim of more would make a write that comes later count as seen.
 */
export function clipped(vv: Vector, known: Vector, limitOf: LimitOf): Vector {
  const most = Object.entries(vv).map(([node, counter]): [string, number] => [
    node,
    Math.min(counter, Math.max(known[node] ?? 0, limitOf(node))),
  ])
  return Object.fromEntries(most.filter(([, counter]) => counter > 0))
}
