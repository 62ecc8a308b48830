import { COMMONS } from '@markbook/shared/ids'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { type ChainedEntry, digestOf, headAfter } from '../history-chain.ts'
import type { Standing } from '../migrate.ts'

/** Asks a database; `text` holds no values but ids of our own. */
export type Ask = (text: string) => Promise<Record<string, unknown>[]>

/** What can be wrong within a database that can be opened. `count` says how many rows or places. */
export type Damage = {
  kind: 'pages' | 'orphans' | 'versions' | 'history' | 'checksums'
  count: number
  /** For whoever is asked for help: what the database itself said. */
  detail: string
}

/** When a node wrote its newest entry, ms since 1970, and what it is called here; null where no node that is known here bears its number. */
export type NewestOf = { name: string | null; by: string | null; at: number }
/**
 * When the newest entries of the history were written, ms since 1970. `at`: of all; `own`: of those that this database wrote, under
 * whichever of its numbers; `others`: of each other node, with its name, and `by`, the name of the node that told of it.
 */
export type Newest = { at: number | null; own: number | null; others: readonly NewestOf[] }

/**
 * What a database turned out to be. `newest`: when the newest entries of the history were written. Sizes in bytes:
 * `log` waits to be brought into the file, `unused` is room within the file that holds nothing.
 */
export type Read = {
  state: 'read'
  standing: Standing
  damage: readonly Damage[]
  newest: Newest
  size: number
  log: number
  unused: number
}
export type Soundness = { state: 'absent' } | Read | { state: 'unreadable' | 'refused' | 'unreachable' | 'no markbook'; detail: string }

/** What a database's own checks of its history, versions and times need to know of it. */
export type Words = {
  /** Writes the time of an entry as ISO text. */
  instant: (column: string) => string
  /** Where a table lies. */
  placeOf: (table: string) => string
  /** Asks for the entries of a school that this database wrote, from one place to another. */
  history: (school: string, from: number, to: number) => string
}

/** Damage of versions and of the history. `feeds` asks for the feeds of all schools. */
export async function damageOfContents(ask: Ask, words: Words, feeds: string): Promise<Damage[]> {
  const damage = await versionDamage(ask, words.placeOf)
  const broken: string[] = []
  for (const feed of (await ask(feeds)) as Feed[]) {
    const { school_id } = feed
    const read = async (from: number, to: number) => (await ask(words.history(school_id, from, to))) as StoredEntry[]
    broken.push(...(await brokenLinks(read, feed)).map(({ seq }) => `${school_id}:${seq ?? 'end'}`))
  }
  if (broken.length > 0) damage.push({ kind: 'history', count: broken.length, detail: broken.slice(0, 3).join(' ') })
  return damage
}

type Feed = { school_id: string; seq: number; head: string }
/** An entry, and the place that it took. */
export type StoredEntry = ChainedEntry & { seq: number; head: string }

/**
 * A place where the history that this node wrote is not what was written: `seq`, of a transaction of which an entry was changed, taken out or
 * put in, or the one after some that were taken out; null where it ends otherwise than its feed says. `after`: the transaction before.
 */
export type Break = { after: number; seq: number | null }

/** Transactions that are read in one go. */
const PAGE = 200

/** Follows the chain of a feed. `read` answers what this node wrote from one place to another. */
export async function brokenLinks(
  read: (from: number, to: number) => Promise<readonly StoredEntry[]>,
  feed: Omit<Feed, 'school_id'>,
): Promise<Break[]> {
  const broken: Break[] = []
  let [head, after] = ['', 0]
  for (let from = 1; from <= feed.seq; from += PAGE) {
    const entries = await read(from, Math.min(from + PAGE - 1, feed.seq))
    const bySeq = new Map<number, StoredEntry[]>()
    for (const entry of entries) {
      const group = bySeq.get(Number(entry.seq))
      if (group) group.push(entry)
      else bySeq.set(Number(entry.seq), [entry])
    }
    // A page from another node takes a number and leaves the chain where it is.
    for (const [seq, group] of [...bySeq].sort(([a], [b]) => a - b)) {
      const stored = group[0]?.head
      const expected = headAfter(head, digestOf(group))
      if (stored !== expected) broken.push({ after, seq })
      // One changed entry is one break, not one for each that follows.
      head = stored ?? expected
      after = seq
    }
  }
  if (head !== feed.head) broken.push({ after, seq: null })
  return broken
}

const schoolOf = (table: Replicated) => ({ school: 'r.school_id', self: 'r.id', commons: `'${COMMONS}'` })[descriptions[table].scope]

/**
 * Every row has its version, and every version its row, but for what a rule between rows keeps or leaves out: without that other nodes
 * would never hear of a mark, or hear of one that is gone.
 */
async function versionDamage(ask: Ask, placeOf: (table: string) => string): Promise<Damage[]> {
  const versions = placeOf('sync_row')
  const found: Damage[] = []
  for (const table of Object.keys(descriptions) as Replicated[]) {
    const on = `s.school_id = ${schoolOf(table)} and s.table_name = '${table}' and s.row_id = r.id`
    const [without] = await ask(
      `select count(*) as count from ${placeOf(table)} r left join ${versions} s on ${on} and (s.settled or not s.deleted) where s.row_id is null`,
    )
    const [left] = await ask(
      `select count(*) as count from ${versions} s left join ${placeOf(table)} r on ${on}
       where s.table_name = '${table}' and not s.deleted and not s.settled and r.id is null`,
    )
    const count = Number(without?.['count']) + Number(left?.['count'])
    if (count > 0)
      found.push({ kind: 'versions', count, detail: `${table}: ${without?.['count']} without a version, ${left?.['count']} lost` })
  }
  return found
}

export const NOTHING_WRITTEN: Newest = { at: null, own: null, others: [] }

export async function newestEntries(ask: Ask, { instant, placeOf }: Words): Promise<Newest> {
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
