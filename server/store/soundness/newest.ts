import type { Ask, Newest } from './soundness.ts'

export const NOTHING_WRITTEN: Newest = { at: null, own: null, others: [] }

/** `instant` writes the time of an entry as ISO text in the words of that database; `placeOf` says where a table lies. */
export async function newestEntries(
  ask: Ask,
  { instant, placeOf }: { instant: (column: string) => string; placeOf: (table: string) => string },
): Promise<Newest> {
  const nameOf = (node: string) => `(select min(p.name) from ${placeOf('sync_peer')} p where cast(p.node_id as text) = ${node})`
  const rows = await ask(
    `select ${instant('h.at')} as at, ${nameOf('h.node')} as name, ${nameOf('h.source')} as by_name,
       exists (select 1 from ${placeOf('node')} n where cast(n.id as text) = h.node) as own
     from (select cast(node_id as text) as node, max(at) as at, min(cast(source_id as text)) as source
       from ${placeOf('history')} group by node_id) h`,
  )
  const found = rows.map(({ at, name, by_name, own }) => ({
    name: (name ?? null) as string | null,
    by: (by_name ?? null) as string | null,
    at: Date.parse(String(at)),
    isOwn: Boolean(own),
  }))
  const latest = (times: readonly { at: number }[]) => (times.length === 0 ? null : Math.max(...times.map(({ at }) => at)))
  return {
    at: latest(found),
    own: latest(found.filter(({ isOwn }) => isOwn)),
    others: found.filter(({ isOwn }) => !isOwn).map(({ name, by, at }) => ({ name, by, at })),
  }
}
