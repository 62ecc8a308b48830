import type { Row } from '@markbook/shared/tables/tables'
import { PENDING } from '@markbook/sync/stamp'
import { type Presence, type Stamp, textToVersions, type Versions, versionsToText } from '@markbook/sync/versions'
import { eq, isNull } from 'drizzle-orm'
import type { WriteTx } from '../store/tx.ts'

/** Gives the writes of `node` after `acknowledged` dots of this database, as one transaction of it. */
export async function restamp(tx: WriteTx, school: string, node: string, acknowledged: number): Promise<void> {
  const { sync_row } = tx.t
  const rows: Row<'sync_row'>[] = await tx.db.select().from(sync_row).where(eq(sync_row.school_id, school))
  const { node: nodes } = tx.t
  const [current] = await tx.db.select().from(nodes).where(isNull(nodes.ended_at))
  const own = current?.id as string
  const changed = rows.flatMap((row) => {
    const versions = textToVersions(row)
    if ((versions.vv[node] ?? 0) <= acknowledged) return []
    const { table_name, row_id, deleted, extra, settled, schema } = row
    return [
      { table_name, row_id, deleted, extra, settled, schema, source_id: null, ...versionsToText(moved(versions, node, own, acknowledged)) },
    ]
  })
  tx.replica.bring(school, changed)
}

function moved({ vv, units, alive }: Versions, from: string, to: string, after: number): Versions {
  const stamps = Object.entries(units).map(([unit, stamp]): [string, Stamp] => {
    const [node, counter, ...rest] = stamp
    return [unit, node === from && counter > after ? ([to, PENDING, ...rest] as unknown as Stamp) : stamp]
  })
  const there = alive.map((each): Presence => (each[0] === from && each[1] > after ? [to, PENDING] : each))
  return { vv: { ...vv, [from]: Math.min(vv[from] ?? 0, after), [to]: PENDING }, units: Object.fromEntries(stamps), alive: there }
}
