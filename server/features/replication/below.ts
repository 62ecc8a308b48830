import { and, eq, isNull } from 'drizzle-orm'
import type { ReadTx } from '../../store/tx.ts'
import { ago } from './ago.ts'

/** Who replicates with a server that has no parent, and when the last of them was heard, in one sentence; it works alone where nobody does. */
export async function belowSaid({ db, nowMs, t: { sync_peer } }: ReadTx, school: string): Promise<string> {
  const children: { kind: string; heard: string | null }[] = await db
    .select({ kind: sync_peer.kind, heard: sync_peer.last_seen_at })
    .from(sync_peer)
    .where(and(eq(sync_peer.school_id, school), eq(sync_peer.side, 'child'), isNull(sync_peer.revoked_at)))
  if (children.length === 0) return 'This server works alone.'
  const laptops = children.filter(({ kind }) => kind === 'laptop').length
  const who = [counted(children.length - laptops, 'server'), counted(laptops, 'laptop')].filter((each) => each !== null).join(' and ')
  const last = children.map(({ heard }) => heard ?? '').reduce((a, b) => (a > b ? a : b))
  const when = last ? `the last was heard ${ago(nowMs - Date.parse(last))} ago` : 'none was heard yet'
  return `${who} ${children.length === 1 ? 'replicates' : 'replicate'} with this server; ${when}.`
}

const counted = (count: number, what: string): string | null => (count === 0 ? null : `${count} ${what}${count === 1 ? '' : 's'}`)
