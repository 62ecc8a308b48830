import { textToChanges } from '@markbook/shared/tables/changes'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { highIn, isWriteIn, parsedDetail, type Told } from '@markbook/sync/journal'
import type { RowState } from '@markbook/sync/merge/state'
import type { HistoryEntry } from '@markbook/sync/protocol/entries'
import type { Stamp } from '@markbook/sync/versions'
import { and, eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import type { ReadTx } from '../store/tx.ts'
import { partOf, type Signer, transactionOf, type Verdict, verdictsOn } from './signed-history.ts'

/** `seq`: of this node's feed; `source_id`: null where this node wrote it. */
type Stored = HistoryEntry & { seq: number; source_id: string | null }
type Signed = { told: Told; signer: Signer }

/** Who signed what rows say that a child brings of what others wrote: by the history that comes with them and the one that is here. */
export class RowProofs {
  private readonly byRow = new Map<string, HistoryEntry[]>()
  private readonly stored = new Map<string, Promise<Signed[]>>()

  constructor(
    private readonly tx: ReadTx,
    private readonly school: string,
    private readonly secret: string,
    /** The entries of the page, with what their signatures say. */
    private readonly page: { taken: readonly HistoryEntry[]; verdicts: ReadonlyMap<string, Verdict> },
  ) {
    for (const entry of page.taken) this.byRow.set(entry.row_id, [...(this.byRow.get(entry.row_id) ?? []), entry])
  }

  /** Who signed that the last write of a unit was made with the values that the state has; null where nobody did who is known here. */
  async signerOf(table: Replicated, state: RowState, unit: string, known: RowState | undefined): Promise<Signer | null> {
    const stamp = state.units[unit]
    if (!stamp) return null
    const all = [...this.brought(state.id), ...(await this.storedOf(table, state, stamp))]
    const highs = all.map(({ told }) => highIn(table, told, unit) ?? 0)
    const highest = Math.max(known?.units[unit]?.[4] ?? 0, ...highs)
    return all.find(({ told }) => isWriteIn(table, told, { state, unit, highest }))?.signer ?? null
  }

  private brought(id: string): Signed[] {
    return (this.byRow.get(id) ?? []).flatMap((entry) => {
      const verdict = this.page.verdicts.get(transactionOf(entry)) ?? 'none'
      return typeof verdict === 'object' ? [{ told: toldIn(entry), signer: verdict.signer }] : []
    })
  }

  /** Entries of the row of the number that a stamp has, as far as they are signed. */
  private storedOf(table: Replicated, { id, values }: RowState, [node, counter]: Stamp): Promise<Signed[]> {
    const key = `${table}:${id} ${node} ${counter}`
    const known = this.stored.get(key) ?? this.readStored(String(values[descriptions[table].near ?? 'id'] ?? id), id, [node, counter])
    this.stored.set(key, known)
    return known
  }

  private async readStored(near: string, row: string, [node, counter]: readonly [string, number]): Promise<Signed[]> {
    const { history } = this.tx.t
    const found = await this.read(
      and(
        eq(history.school_id, this.school),
        eq(history.near_id, near),
        eq(history.row_id, row),
        eq(history.node_id, node),
        eq(history.node_seq, counter),
      ),
    )
    const own = found.filter(({ source_id }) => source_id === null)
    const others = found.filter(({ source_id }) => source_id !== null)
    if (others.length === 0) return own.map((entry) => ({ told: toldIn(entry), signer: { kind: 'self' } }))
    // The signature stands on one entry of those that came together.
    const seqs = [...new Set(others.map(({ seq }) => seq))]
    const together = await this.read(
      and(eq(history.school_id, this.school), inArray(history.seq, seqs), eq(history.node_id, node), eq(history.node_seq, counter)),
    )
    const verdicts = await verdictsOn(this.tx, this.school, this.secret, together, partOf)
    const signed: Signed[] = own.map((entry) => ({ told: toldIn(entry), signer: { kind: 'self' } }))
    for (const entry of together) {
      const verdict = verdicts.get(partOf(entry))
      if (entry.row_id === row && typeof verdict === 'object') signed.push({ told: toldIn(entry), signer: verdict.signer })
    }
    return signed
  }

  private async read(where: ReturnType<typeof and>): Promise<Stored[]> {
    const { history } = this.tx.t
    return this.tx.db
      .select({ ...getTableColumns(history), changes: sql<string>`${history.changes}` })
      .from(history)
      .where(where) as Promise<Stored[]>
  }
}

export const toldIn = <E extends Omit<HistoryEntry, 'head' | 'proof' | 'near_id'>>({ at, changes, detail, ...entry }: E) => ({
  ...entry,
  at: Date.parse(at),
  changes: textToChanges(changes),
  detail: detail === null ? null : parsedDetail(detail),
})
