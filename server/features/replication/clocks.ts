import type { Row } from '@markbook/shared/tables/tables'
import { incarnations } from '../../store/node.ts'
import type { ReadTx } from '../../store/tx.ts'

/** More than the clocks of a school normally differ, ms. */
const APART = 60_000
/** Whether the offset of two clocks, ms, is large; null: unknown. */
export const isApart = (offset: number | null): boolean => offset !== null && Math.abs(offset) > APART

type Clock = Pick<Row<'sync_peer'>, 'side' | 'clock_offset'>
/** How far another node's clock was ahead of this one's at the last contact, ms; a parent's is stored with the opposite sign. */
export const offsetOf = ({ side, clock_offset }: Clock): number | null =>
  clock_offset === null ? null : side === 'parent' ? 0 - clock_offset : clock_offset

/**
 * How far the clock of a node was ahead when it dated a write, ms, where that is more than a minute (sync.md, «Versions»): by the write's
 * time if it is in the future; else by the node's last known offset, and this node's own by its parent.
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
