import { and, eq } from 'drizzle-orm'
import { computersAmong, type NamedPeer, successorOf } from '../../replication/identity/nodes.ts'
import type { ReadTx } from '../../store/tx.ts'
import { ago, counted } from './ago.ts'

/** The servers and laptops that send to this node; without `school`, for all schools of this database. */
export async function computersBelow({ db, t: { sync_peer: of } }: ReadTx, school?: string): Promise<NamedPeer[]> {
  const { id, name, side, kind, school_id, user_id, enrolled_at, last_seen_at, revoked_at } = of
  const children: NamedPeer[] = await db
    .select({ id, name, side, kind, school_id, user_id, enrolled_at, last_seen_at, revoked_at })
    .from(of)
    .where(and(eq(of.side, 'child'), school === undefined ? undefined : eq(of.school_id, school)))
  return computersAmong(children)
}

/** For each computer that was copied, the names under which both copies are heard. */
export function copiesAmong(computers: readonly NamedPeer[]): [name: string, other: string][] {
  return computers.flatMap((each): [string, string][] => {
    const next = successorOf(each, computers)
    return next?.bothHeard ? [[each.name, next.name]] : []
  })
}

/** One sentence on the replication of a server without a parent: who sends to it, and when the last was heard; or that it works alone. */
export function belowSentence(computers: readonly NamedPeer[], nowMs: number): string {
  if (computers.length === 0) return 'This server works alone.'
  const laptops = computers.filter(({ kind }) => kind === 'laptop').length
  const who = [counted(computers.length - laptops, 'server'), counted(laptops, 'laptop')]
    .filter((each) => !each.startsWith('0 '))
    .join(' and ')
  const last = computers.map(({ last_seen_at }) => last_seen_at ?? '').reduce((a, b) => (a > b ? a : b))
  const when = last ? `the last was heard ${ago(nowMs - Date.parse(last))} ago` : 'none was heard yet'
  return `${who} ${computers.length === 1 ? 'replicates' : 'replicate'} with this server; ${when}.`
}
