import { stBrigids } from '@markbook/shared/story/people'
import { and, asc, eq, gt } from 'drizzle-orm'
import type { Store } from '../../store/store.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'
import { type Bulk, gradeIds } from './marking.ts'

/**
 * What was sent and what was answered, and whether the database agrees: each bulk is there whole (its grades, their versions, its
 * history) or not at all, and whatever was acknowledged is there. `check` reads what is new since the last time; it throws an error
 * that names the bulk.
 */
export class Ledger {
  readonly acknowledged = new Set<string>()
  private sent = new Map<string, Bulk>()
  private readonly found = new Set<string>()
  private readonly lastByGrade = new Map<string, { seq: number; bulk: Bulk }>()
  private position: { seq: number; head: string }

  private constructor(private readonly start: { seq: number; head: string }) {
    this.position = start
  }

  /** From the feed's position of now: nothing is marked yet. */
  static async of(store: Store): Promise<Ledger> {
    return new Ledger(await store.read(asSystem(), feedOf))
  }

  /** For another copy of the database, which may lack what was acknowledged. */
  forCopy(): Ledger {
    const ledger = new Ledger(this.start)
    ledger.sent = this.sent
    return ledger
  }

  send(bulk: Bulk): void {
    this.sent.set(bulk.name, bulk)
  }

  /** The bulks that the database holds, in the order in which they were committed. */
  get names(): string[] {
    return [...this.found]
  }

  async check(store: Store): Promise<void> {
    await store.read(asSystem(), async (tx) => {
      for (const entries of await this.transactionsSince(tx)) this.take(entries)
      const feed = await feedOf(tx)
      demand(
        feed.seq === this.position.seq && feed.head === this.position.head,
        `the feed is at ${feed.seq}, its history at ${this.position.seq}`,
      )
      await this.checkGrades(tx)
      await this.checkVersions(tx)
    })
    for (const name of this.acknowledged) demand(this.found.has(name), `${name} was acknowledged and is not there`)
  }

  private async transactionsSince(tx: ReadTx): Promise<Entry[][]> {
    const { history } = tx.t
    const rows: Entry[] = await tx.db
      .select({ seq: history.seq, head: history.head, entity: history.entity, row_id: history.row_id, changes: history.changes })
      .from(history)
      .where(and(eq(history.school_id, stBrigids), gt(history.seq, this.position.seq)))
      .orderBy(asc(history.seq))
    const bySeq = new Map<number, Entry[]>()
    for (const row of rows) bySeq.set(Number(row.seq), [...(bySeq.get(Number(row.seq)) ?? []), row])
    return [...bySeq.values()]
  }

  private take(entries: readonly Entry[]) {
    const [first] = entries as [Entry]
    const seq = Number(first.seq)
    const name = String(first.changes['remarks']?.after)
    const bulk = this.sent.get(name)
    demand(seq === this.position.seq + 1, `number ${this.position.seq + 1} of the feed is missing before ${seq}`)
    if (!bulk) throw new Error(`nobody sent ${name}`)
    demand(!this.found.has(name), `${name} was written twice`)
    demand(
      entries.every((entry) => entry.entity === 'grade' && entry.changes['remarks']?.after === name && entry.head === first.head),
      `number ${seq} holds more than ${name}`,
    )
    const written = entries.map(({ row_id }) => row_id).sort()
    demand(
      written.join() === gradeIds(bulk).sort().join(),
      `${name} is torn: ${written.length} of ${bulk.studentIds.length} in the history`,
    )
    this.position = { seq, head: first.head }
    this.found.add(name)
    for (const id of gradeIds(bulk)) this.lastByGrade.set(id, { seq, bulk })
  }

  private async checkGrades(tx: ReadTx) {
    const { grade } = tx.t
    const rows = await tx.db.select().from(grade).where(eq(grade.school_id, stBrigids))
    const byId = new Map(rows.map((row) => [row.id, row]))
    for (const [id, { bulk }] of this.lastByGrade) {
      const row = byId.get(id)
      demand(row?.remarks === bulk.name && row.score === bulk.score, `a grade of ${bulk.name} says ${row?.remarks ?? 'nothing'}`)
    }
    const strange = rows.find(({ id, remarks }) => remarks?.startsWith('bulk ') && !this.lastByGrade.has(id))
    demand(!strange, `a grade of ${strange?.remarks} is there without its history`)
  }

  private async checkVersions(tx: ReadTx) {
    const { sync_row } = tx.t
    const rows = await tx.db
      .select({ id: sync_row.row_id, seq: sync_row.seq })
      .from(sync_row)
      .where(and(eq(sync_row.school_id, stBrigids), eq(sync_row.table_name, 'grade')))
    const seqById = new Map(rows.map(({ id, seq }) => [id, Number(seq)]))
    for (const [id, { seq, bulk }] of this.lastByGrade)
      demand(seqById.get(id) === seq, `the version of a grade of ${bulk.name} is another's`)
    for (const seq of seqById.values()) demand(seq <= this.position.seq, `a version has the number ${seq} without its history`)
  }
}

type Entry = {
  seq: number
  head: string
  entity: string
  row_id: string
  changes: Record<string, { before: unknown; after: unknown }>
}

const feedOf = async (tx: ReadTx) => {
  const { sync_feed } = tx.t
  const [feed] = await tx.db.select().from(sync_feed).where(eq(sync_feed.school_id, stBrigids))
  if (!feed) throw new Error('the school has no feed')
  return { seq: Number(feed.seq), head: feed.head }
}

function demand(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise)
}
