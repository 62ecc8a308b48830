/** A merge unit's last write: the node and its counter (the dot), the hybrid clock in ms, and who. */
export type Dot = readonly [node: string, counter: number | typeof PENDING, hlc: number, actor: string | null]
export type Versions = { vv: Record<string, number | typeof PENDING>; units: Record<string, Dot> }

/**
 * Stands for the counter of the transaction that is being written. The number is only known when the school's feed has been
 * advanced, as the last statement before the commit; it is put in place by the store.
 */
export const PENDING = '#'

/**
 * The versions of a row after a local write of `units`: each gets a new dot, and `hlc = max(now, previous hlc of this unit + 1)`,
 * so that a clock that ran ahead holds back only the units it wrote. A row without units has the unit `row`.
 */
export const stamp = (
  previous: Versions | null,
  write: { units: readonly string[]; node: string; now: number; actor: string | null },
): Versions => {
  const units = { ...previous?.units }
  for (const unit of write.units) {
    const hlc = Math.max(write.now, (units[unit]?.[2] ?? -1) + 1)
    units[unit] = [write.node, PENDING, hlc, write.actor]
  }
  return { vv: { ...previous?.vv, [write.node]: PENDING }, units }
}

/** Unit that carries a row's existence: written by creation and deletion. */
export const EXISTENCE = 'row'
