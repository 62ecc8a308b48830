import type { FileTally, Tally } from '@markbook/shared/contract/audit'
import { COMMONS } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { and, eq, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { ObjectStorage } from '../../files/storage.ts'
import { everyId } from '../../store/replica/feed.ts'
import { tableOrder } from '../../store/replica/links.ts'
import { columnsIn, idsThere, tableIn } from '../../store/replica/states.ts'
import type { Store } from '../../store/store.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'
import { auditFiles, noFiles } from './audit.files.ts'
import { HistoryEvidence, type HistoryFault } from './audit.history.ts'
import { auditRows, type Disagreement, nothingCounted, unwritten, vanished, wholeRow } from './audit.rows.ts'

/**
 * `marks` and `others`: numbers of rows, also of deleted ones that are still known. Only the first of `disagreements` and of `wrong` are
 * named.
 */
export type Audit = {
  marks: Tally
  others: Tally
  files: FileTally
  disagreements: Disagreement[]
  wrong: readonly HistoryFault[]
  wrongCount: number
}

/** `files`: the storage with its files; null where they are not to be read. */
type Audited = { school: string; secret: string; files: Pick<ObjectStorage, 'open'> | null }

/**
 * Compares every row of a school, or of people (`COMMONS`), with what the history here says of it. Reads page by page and changes nothing;
 * a row and its entries are read in one transaction. `tell`: gets the share that is done, 0 to 1.
 */
export async function audit(store: Store, audited: Audited, tell: (share: number) => void = () => {}): Promise<Audit> {
  const { school } = audited
  const kept = new Map<string, Disagreement>()
  const lost = { marks: 0, others: 0 }
  const isRoot = await store.read(asSystem(), (tx) => hasNobodyAbove(tx, school))
  const lookForLost = async (tx: ReadTx, own: Parameters<typeof vanished>[2]) => {
    if (!isRoot) return
    for (const each of await vanished(tx, school, own)) {
      const key = `${each.entity}:${each.row_id}`
      if (kept.has(key)) continue
      lost[each.entity === 'grade' ? 'marks' : 'others'] += 1
      if (kept.size < limits.audit.rememberedFaults) kept.set(key, each)
    }
  }
  const evidence = await HistoryEvidence.read(store, audited, lookForLost, (share) => tell(share / 2))
  const result: Audit = {
    marks: { ...nothingCounted(), contradicted: lost.marks },
    others: { ...nothingCounted(), contradicted: lost.others },
    files: noFiles(),
    disagreements: [...kept.values()].slice(0, limits.audit.listedDifferences),
    wrong: evidence.wrong,
    wrongCount: evidence.wrongCount,
  }
  const all = await store.read(asSystem(), (tx) => tx.dialect.countVersions(tx.connection, school))
  let done = 0
  for (const table of tablesOf(school)) {
    for await (const ids of pagesOf(store, table, school)) {
      add(result, table, await store.read(asSystem(), (tx) => auditRows(tx, school, evidence, table, ids)))
      done += ids.length
      tell(0.5 + done / Math.max(all, done) / 2)
    }
    await addUnwritten(store, result, table, school)
  }
  if (audited.files) await addFiles(store, result, audited.files, school)
  return result
}

/**
 * The rows of a table that have versions, each once. Where the history of many rows lies together they come in that order: first those that
 * stand, by the column of their `near_id`, then those that do not.
 */
async function* pagesOf(store: Store, table: Replicated, school: string): AsyncGenerator<readonly string[]> {
  const { near } = descriptions[table]
  if (near) yield* placedIds(store, table, near, school)
  for await (const ids of everyId(store, school, table, limits.audit.pageRows)) {
    const there = near ? await store.read(asSystem(), (tx) => idsThere(tx, table, school, ids)) : null
    yield there ? ids.filter((id) => !there.has(id)) : ids
  }
}

type PageStart = { id: string; near: string }

async function* placedIds(store: Store, table: Replicated, near: string, school: string): AsyncGenerator<readonly string[]> {
  for (let last: PageStart = { id: COMMONS, near: COMMONS }; ; ) {
    const after: PageStart = last
    const page = await store.read(asSystem(), (tx) => placedRows(tx, table, near, school, after))
    if (page.length > 0) yield page.map(({ id }) => id)
    if (page.length < limits.audit.pageRows) return
    last = page.at(-1) as PageStart
  }
}

async function placedRows(tx: ReadTx, table: Replicated, near: string, school: string, last: PageStart): Promise<PageStart[]> {
  const columns = columnsIn(tx, table)
  const [id, place] = [columns['id'], columns[near]] as [SQLiteColumn, SQLiteColumn]
  const after = sql`(${place}, ${id}) > (${last.near}, ${last.id})`
  return tx.db
    .select({ id: sql<string>`${id}`, near: sql<string>`${place}` })
    .from(tableIn(tx, table) as never)
    .where(and(eq(columns['school_id'] as SQLiteColumn, school), after))
    .orderBy(place, id)
    .limit(limits.audit.pageRows)
}

/** Marks first, so that they are named first. */
const tablesOf = (school: string): Replicated[] =>
  tableOrder
    .filter((table) => (descriptions[table].scope === 'commons') === (school === COMMONS))
    .sort((a, b) => Number(b === 'grade') - Number(a === 'grade'))

function add(result: Audit, table: Replicated, { tally, disagreements }: Awaited<ReturnType<typeof auditRows>>): void {
  const own = result[table === 'grade' ? 'marks' : 'others']
  for (const name of Object.keys(own) as (keyof Tally)[]) own[name] += tally[name]
  result.disagreements.push(...disagreements.slice(0, limits.audit.listedDifferences - result.disagreements.length))
}

async function addUnwritten(store: Store, result: Audit, table: Replicated, school: string): Promise<void> {
  const ids = await store.read(asSystem(), (tx) => unwritten(tx, table, school, limits.audit.rememberedFaults))
  const disagreements = ids.map((id) => wholeRow(table, id, 'unwritten'))
  add(result, table, { tally: { ...nothingCounted(), contradicted: ids.length }, disagreements })
}

async function addFiles(store: Store, result: Audit, files: NonNullable<Audited['files']>, school: string): Promise<void> {
  const { tally, swapped } = await auditFiles({ store, files }, school)
  result.files = tally
  const found = swapped.map(({ table, id }) => wholeRow(table, id, 'swapped'))
  result.disagreements.push(...found.slice(0, limits.audit.listedDifferences - result.disagreements.length))
}

/** Whether this node has no parent. What a parent may have refused is not here either, and is no loss. */
async function hasNobodyAbove(tx: ReadTx, school: string): Promise<boolean> {
  const { sync_peer } = tx.t
  const ofSchool = school === COMMONS ? undefined : eq(sync_peer.school_id, school)
  return (await tx.db.$count(sync_peer, and(eq(sync_peer.side, 'parent'), ofSchool))) === 0
}
