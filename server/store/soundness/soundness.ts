import { COMMONS } from '@markbook/shared/ids'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { type ChainedEntry, digestOf, headAfter } from '../history-chain.ts'
import type { Standing } from '../migrate.ts'

/** Runs a query; `text` contains no values except ids of this program. */
export type Ask = (text: string) => Promise<Record<string, unknown>[]>
/** Runs several queries in one snapshot of the database, which is held only for that time. */
export type Slice = <T>(work: (ask: Ask) => Promise<T>) => Promise<T>

/** `quick`: reads no rows except the last written ones. `tell` receives the progress. */
export type CheckOptions = { quick: boolean; tell: (how: string) => void }

/** Damage within a database that can be opened. `count`: affected rows or places. */
export type Damage = {
  kind: 'pages' | 'orphans' | 'versions' | 'history' | 'checksums'
  count: number
  /** The database's own message, for support. */
  detail: string
}

/** When a node wrote its newest entry, ms since 1970, and its name here; null where no known node has its id. */
export type NewestOf = { name: string | null; by: string | null; at: number }
/**
 * When the newest entries of the history were written, ms since 1970. `at`: of all; `own`: of those that this database wrote, under any of
 * its node ids; `others`: of each other node, with its name and `by`, the name of the node that sent the entry.
 */
export type Newest = { at: number | null; own: number | null; others: readonly NewestOf[] }

/**
 * The findings about a database. `newest`: when the newest entries of the history were written. Sizes in bytes: `log` is the part of the
 * WAL without a checkpoint, `unused` are free pages of the file.
 */
export type Read = {
  state: 'read'
  standing: Standing
  /** Every row was read; otherwise `marks` is the database's own estimate, where it has one. */
  isWhole: boolean
  marks: number | null
  damage: readonly Damage[]
  newest: Newest
  size: number
  log: number
  unused: number
}
export type Soundness =
  /** `isForbidden`: the user of PostgreSQL may not make there what a start makes. */
  | { state: 'absent'; isForbidden?: boolean }
  | Read
  | { state: 'unreadable' | 'locked' | 'log gone' | 'read-only' | 'refused' | 'unreachable' | 'no markbook'; detail: string }

/** What the checks of history, versions and times need from each database. */
export type Words = {
  /** SQL for the time of an entry as ISO text. */
  instant: (column: string) => string
  /** The qualified name of a table. */
  placeOf: (table: string) => string
  /** The query for the entries of a school that this database wrote, between two feed numbers. */
  history: (school: string, from: number, to: number) => string
  /** The query for the last entries of each school, which uses an index. */
  latest: string
}

/**
 * Checks versions and history, and finds when the newest entries were written. School by school, so that no statement is long and none
 * keeps an old snapshot.
 */
export async function readContents(slice: Slice, words: Words, tell: CheckOptions['tell']): Promise<{ damage: Damage[]; newest: Newest }> {
  const { placeOf } = words
  const feeds = (await slice((ask) => ask(`select school_id, seq, head from ${placeOf('sync_feed')}`))) as Feed[]
  const feedBySchool = new Map(feeds.map((feed) => [String(feed.school_id), { ...feed, seq: Number(feed.seq) }]))
  const schools = (await slice((ask) => ask(`select id from ${placeOf('school')}`))).map(({ id }) => String(id))
  const all = [...new Set([COMMONS, ...feedBySchool.keys(), ...schools])]
  const misfits = new Map<Replicated, Misfits>()
  const broken: string[] = []
  const times = new Map<string, Written>()
  for (const [at, school] of all.entries()) {
    tell(`${at + 1} of ${all.length} schools`)
    await slice(async (ask) => {
      await compareVersions(ask, placeOf, school, misfits)
      for (const written of (await ask(writtenIn(school, words))) as Written[]) takeLater(times, written)
    })
    const feed = feedBySchool.get(school)
    if (!feed) continue
    const read = async (from: number, to: number) => (await slice((ask) => ask(words.history(school, from, to)))) as StoredEntry[]
    broken.push(...(await brokenLinks(read, feed)).map(({ seq }) => `${school}:${seq ?? 'end'}`))
  }
  const damage = [...misfits]
    .filter(([, { without, left }]) => without + left > 0)
    .map(
      ([table, { without, left }]): Damage => ({
        kind: 'versions',
        count: without + left,
        detail: `${table}: ${without} without a version, ${left} lost`,
      }),
    )
  if (broken.length > 0) damage.push({ kind: 'history', count: broken.length, detail: broken.slice(0, 3).join(' ') })
  return { damage, newest: await slice((ask) => newestOf(ask, words, times)) }
}

/** Reads only the last entries of each school. */
export const readLatest = (slice: Slice, words: Words): Promise<Newest> =>
  slice(async (ask) => {
    const times = new Map<string, Written>()
    for (const written of (await ask(words.latest)) as Written[]) takeLater(times, written)
    return newestOf(ask, words, times)
  })

type Feed = { school_id: string; seq: number; head: string }
/** An entry, and its position in the chain. */
export type StoredEntry = ChainedEntry & { seq: number; head: string }

/**
 * A place where the history of this node differs from what was written. `seq`: a transaction with a changed, removed or added entry, or
 * the transaction after removed ones; null where the last head differs from the feed's. `after`: the transaction before.
 */
export type Break = { after: number; seq: number | null }

/** Transactions that are read at once. */
const PAGE = 200

/** Verifies the chain of a feed. `read` returns the entries that this node wrote between two numbers. */
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
    // A page from another node has a number but does not change the chain.
    for (const [seq, group] of [...bySeq].sort(([a], [b]) => a - b)) {
      const stored = group[0]?.head
      const expected = headAfter(head, digestOf(group))
      if (stored !== expected) broken.push({ after, seq })
      // Continues from the stored head, so that one changed entry is one break.
      head = stored ?? expected
      after = seq
    }
  }
  if (head !== feed.head) broken.push({ after, seq: null })
  return broken
}

type Misfits = { without: number; left: number }

/**
 * Every row must have its version, and every version its row, except where a rule between rows keeps or hides a row. Otherwise other nodes
 * would never receive a mark, or would receive a deleted one.
 */
async function compareVersions(ask: Ask, placeOf: Words['placeOf'], school: string, misfits: Map<Replicated, Misfits>): Promise<void> {
  const versions = placeOf('sync_row')
  for (const table of Object.keys(descriptions) as Replicated[]) {
    const { scope } = descriptions[table]
    if ((scope === 'commons') !== (school === COMMONS)) continue
    const own = { school: `r.school_id = '${school}'`, self: `r.id = '${school}'`, commons: 'true' }[scope]
    const version = `s.school_id = '${school}' and s.table_name = '${table}'`
    const [without] = await ask(
      `select count(*) as count from ${placeOf(table)} r
       left join ${versions} s on ${version} and s.row_id = r.id and (s.settled or not s.deleted) where ${own} and s.row_id is null`,
    )
    const [left] = await ask(
      `select count(*) as count from ${versions} s left join ${placeOf(table)} r on s.row_id = r.id and ${own}
       where ${version} and not s.deleted and not s.settled and r.id is null`,
    )
    const sum = misfits.get(table) ?? { without: 0, left: 0 }
    misfits.set(table, { without: sum.without + Number(without?.['count']), left: sum.left + Number(left?.['count']) })
  }
}

/** The newest entry of a node in a school. `source`: the node that sent it. */
type Written = { node: string; at: string; source: string | null }

const writtenIn = (school: string, { instant, placeOf }: Words) =>
  `select h.node, ${instant('h.at')} as at, h.source from (select cast(node_id as text) as node, max(at) as at, min(cast(source_id as text)) as source
     from ${placeOf('history')} where school_id = '${school}' group by node_id) h`

function takeLater(times: Map<string, Written>, written: Written): void {
  const known = times.get(written.node)
  if (!known || known.at < written.at) times.set(written.node, written)
}

export const NOTHING_WRITTEN: Newest = { at: null, own: null, others: [] }

async function newestOf(ask: Ask, { placeOf }: Words, times: ReadonlyMap<string, Written>): Promise<Newest> {
  const own = new Set((await ask(`select cast(id as text) as id from ${placeOf('node')}`)).map(({ id }) => String(id)))
  const peers = await ask(`select cast(node_id as text) as id, min(name) as name from ${placeOf('sync_peer')} group by node_id`)
  const nameById = new Map(peers.map(({ id, name }) => [String(id), String(name)]))
  const nameOf = (id: string | null) => (id === null ? null : (nameById.get(id) ?? null))
  const found = [...times.values()].map(({ node, at, source }) => ({
    name: nameOf(node),
    by: nameOf(source),
    at: Date.parse(at),
    isOwn: own.has(node),
  }))
  const latest = (entries: readonly { at: number }[]) => (entries.length === 0 ? null : Math.max(...entries.map(({ at }) => at)))
  return {
    at: latest(found),
    own: latest(found.filter(({ isOwn }) => isOwn)),
    others: found.filter(({ isOwn }) => !isOwn).map(({ name, by, at }) => ({ name, by, at })),
  }
}
