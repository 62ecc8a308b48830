import type { Row } from '@markbook/shared/tables/tables'
import { PENDING } from '@markbook/sync/stamp'
import { type Presence, type Stamp, textToVersions, type Versions, type VersionsText, versionsToText } from '@markbook/sync/versions'
import { and, eq, isNull, or } from 'drizzle-orm'
import { tableOrder } from '../store/replica/links.ts'
import { versionsHeld } from '../store/replica/states.ts'
import type { WriteTx } from '../store/tx.ts'

/** A number of this database, and up to which of its writes a parent has them. */
export type Unsaid = { node: string; acknowledged: number }

/** Gives the writes after `acknowledged` of each of these numbers dots of this database, as one transaction of it: a row may bear several. */
export async function restamp(tx: WriteTx, school: string, unsaid: readonly Unsaid[]): Promise<void> {
  if (unsaid.length === 0) return
  const { sync_row } = tx.t
  const named = unsaid.map(({ node }) => tx.dialect.contains(sync_row.vv, node))
  const rows: Row<'sync_row'>[] = await tx.db
    .select()
    .from(sync_row)
    .where(and(eq(sync_row.school_id, school), or(...named)))
  const isWanted = (row: VersionsText) => {
    const { vv } = textToVersions(row)
    return unsaid.some(({ node, acknowledged }) => (vv[node] ?? 0) > acknowledged)
  }
  const wanted = rows.filter(isWanted)
  const { node: nodes } = tx.t
  const [current] = await tx.db.select().from(nodes).where(isNull(nodes.ended_at))
  const own = current?.id as string
  for (const table of tableOrder) {
    const ids = wanted.filter(({ table_name }) => table_name === table).map(({ row_id }) => row_id)
    if (ids.length === 0) continue
    // Somebody may have written them since they were read, and nobody does from here on.
    const held = (await versionsHeld(tx, table, school, ids)).filter(isWanted)
    const changed = held.map(({ row_id, extra, settled, schema, ...text }) => {
      const versions = unsaid.reduce((last, { node, acknowledged }) => moved(last, node, own, acknowledged), textToVersions(text))
      const deleted = versions.alive.length === 0
      return { table_name: table, row_id, deleted, extra, settled: Boolean(settled), schema, source_id: null, ...versionsToText(versions) }
    })
    tx.replica.bring(school, changed)
  }
}

function moved({ vv, units, alive }: Versions, from: string, to: string, after: number): Versions {
  if ((vv[from] ?? 0) <= after) return { vv, units, alive }
  const stamps = Object.entries(units).map(([unit, stamp]): [string, Stamp] => {
    const [node, counter, ...rest] = stamp
    return [unit, node === from && counter > after ? ([to, PENDING, ...rest] as unknown as Stamp) : stamp]
  })
  const there = alive.map((each): Presence => (each[0] === from && each[1] > after ? [to, PENDING] : each))
  return { vv: { ...vv, [from]: Math.min(vv[from] ?? 0, after), [to]: PENDING }, units: Object.fromEntries(stamps), alive: there }
}
