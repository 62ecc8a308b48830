import type { Row } from '@markbook/shared/tables/tables'
import { incarnations } from '../../store/node.ts'
import type { ReadTx } from '../../store/tx.ts'

/** More than clocks of a school are apart, ms. */
const APART = 60_000
/** Of how far one clock is ahead of another, ms; null where that is not known. */
export const isApart = (offset: number | null): boolean => offset !== null && Math.abs(offset) > APART

type Clock = Pick<Row<'sync_peer'>, 'side' | 'clock_offset'>
/** How far another node's clock was ahead of this one's when it was heard last, ms; a parent's is kept the other way round. */
export const offsetOf = ({ side, clock_offset }: Clock): number | null =>
  clock_offset === null ? null : side === 'parent' ? 0 - clock_offset : clock_offset

/**
 * How far the clock was ahead by which a node told the time of a write, ms, where that is more than a minute (sync.md, «Versions»): a time that
 * is still to come was told wrong; else as far as the node was off when it was heard last, and this one as its parent has it.
 */
export async function clocksOf(tx: ReadTx, { id }: { id: string }): Promise<(node: string, hlc: number) => number | null> {
  const { sync_peer } = tx.t
  const { node_id, side, clock_offset } = sync_peer
  const peers: (Clock & { node: string })[] = await tx.db.select({ node: node_id, side, clock_offset }).from(sync_peer)
  const children = peers.filter((each) => each.side === 'child')
  const own = peers.find((each) => each.side === 'parent')?.clock_offset ?? 0
  const offsets = new Map<string, number>(children.map((each) => [each.node, offsetOf(each) ?? 0]))
  for (const each of [id, ...(await incarnations(tx))]) offsets.set(each, own)
  return (node, hlc) => {
    const ahead = hlc - tx.nowMs
    const off = ahead > APART ? ahead : (offsets.get(node) ?? 0)
    return isApart(off) ? Math.round(off) : null
  }
}
