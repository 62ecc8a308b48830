import { textToChanges } from '@markbook/shared/tables/changes'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import {
  highIn,
  isLossIn,
  isWriteIn,
  type JournalEntry,
  type Loss,
  leadsBackTo,
  parsedDetail,
  stampIn,
  unitsIn,
} from '@markbook/sync/journal'
import type { RowState, Values } from '@markbook/sync/merge/state'
import type { HistoryEntry } from '@markbook/sync/protocol/entries'
import { covers, EXISTENCE, type Presence, type Stamp, sameDot, type Vector } from '@markbook/sync/versions'
import { and, eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import { incarnations } from '../../store/node.ts'
import { nearOf } from '../../store/row-changes.ts'
import type { ReadTx } from '../../store/tx.ts'
import { partOf, type Signer, transactionOf, type Verdict, verdictsOn } from './signed-history.ts'

/** `seq`: of this node's feed; `source_id`: null where this node wrote it. */
type Stored = HistoryEntry & { seq: number; source_id: string | null }
type Signed = { told: JournalEntry; signer: Signer }
type OfRow = Pick<RowState, 'id' | 'values'>
/** Who signed a write, and who wrote it. */
export type Repeated = { signer: Signer; actor: string | null }

/** Who may do what, and who somebody is, is taken from nobody but the server that wrote it. */
export const isTakenAsSigned = (table: Replicated): boolean =>
  !descriptions[table].notOnLaptops && descriptions[table].scope !== 'commons' && table !== 'sync_conflict'

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

  /**
   * Who signed a write that this node has not seen and that a later one by nobody repeats: so a node gives way to a refusal, and has nothing
   * else to show for what stood where it was refused. `seen`: what is known here of the row; null where nothing is, as of what was deleted so
   * long ago that the deletion is forgotten, and nothing from before it comes back in this way.
   */
  async signerOfRepeated(table: Replicated, state: RowState, unit: string, seen: Vector | null): Promise<Repeated | null> {
    const [node, counter, , , high] = state.units[unit] as Stamp
    const all = (await this.allOf(table, state)).filter(({ told }) => told.entity === table)
    const deletions = seen ? [] : all.filter(({ told }) => told.action === 'delete')
    const forgotten = Math.max(0, ...deletions.map(({ told }) => stampIn(table, told, EXISTENCE)?.[2] ?? 0))
    for (const { told, signer } of all) {
      const { node_id, node_seq, actor_id } = told
      // A later one: the write itself is somebody's.
      const isLater = node_id !== node || node_seq < counter
      const stamp = stampIn(table, told, unit)
      if (!stamp || !isLater || covers(seen ?? {}, [node_id, node_seq]) || stamp[2] <= forgotten) continue
      const units = { ...state.units, [unit]: stamp }
      if (isWriteIn(table, told, { state: { ...state, units }, unit, highest: high })) return { signer, actor: actor_id }
    }
    return null
  }

  /** Whether a write that did not stand was made, as who is known here has signed. `values`: of the row, as far as they are known here. */
  async isSignedLoss(table: Replicated, loss: Loss, values: Values): Promise<boolean> {
    const all = [
      ...this.brought(loss.row),
      ...(await this.storedOf(table, { id: loss.row, values: { ...values, ...loss.value } }, loss.stamp)),
    ]
    const [, , , actor] = loss.stamp
    return all.some(({ told, signer }) => (signer.kind !== 'laptop' || signer.user === actor) && isLossIn(table, told, loss))
  }

  /**
   * How much of a claim to have seen writes of a node counts: those of which the history tells, here or with the page, and of which the state
   * shows that it has seen them, by the write itself or by a later one of somebody that is news here too. A claim alone says nothing: it would make a
   * write that has yet to come count as seen.
   */
  async seenOf(table: Replicated, state: RowState, [node, upTo]: readonly [string, number], known: RowState | undefined): Promise<number> {
    // Of its present number this node has all that there is.
    if ((await incarnations(this.tx))[0] === node) return 0
    const isNews = ({ node_id, node_seq }: JournalEntry) =>
      node_id === node && node_seq <= upTo && !covers(known?.vv ?? {}, [node_id, node_seq])
    const told = [...(this.byRow.get(state.id) ?? []), ...(await this.entriesOf(table, state))].map(toldIn)
    const writes = told.filter((each) => each.entity === table && isNews(each)).sort((a, b) => a.node_seq - b.node_seq)
    let seen = 0
    for (const write of writes) {
      const isShown = (unit: string): boolean => {
        const [stamp, own] = [state.units[unit], stampIn(table, write, unit) as Stamp]
        if (!stamp) return false
        return sameDot(stamp, own) || (stamp[3] !== null && stamp[2] > own[2] && !covers(known?.vv ?? {}, stamp))
      }
      if (!unitsIn(table, write).every(isShown)) return seen
      seen = write.node_seq
    }
    return seen
  }

  /** Whether a write was made to the row, as who is known here has signed. */
  async isMade(table: Replicated, row: OfRow, [node, counter]: Presence): Promise<boolean> {
    const all = [...this.brought(row.id), ...(await this.storedOf(table, row, [node, counter]))]
    return all.some(({ told }) => told.entity === table && told.node_id === node && told.node_seq === counter)
  }

  /**
   * Whether who wrote a unit of a state had seen a value that another one, `of`, has here, as the history leads back to it. `counts`: whose writes
   * are believed on the way.
   */
  async hasSeen(
    table: Replicated,
    state: RowState,
    { unit, of, value }: { unit: string; of: string; value: Values },
    counts: (signer: Signer) => boolean,
  ) {
    const stamp = state.units[unit] as Stamp
    const all = (await this.allOf(table, state)).filter(
      ({ told, signer }) => told.entity === table && (counts(signer) || sameDot(stamp, dotOf(told))),
    )
    const isIt = ({ told }: Signed) =>
      stamp[3] === null
        ? isWriteIn(table, told, { state: { ...state, units: { [unit]: stampIn(table, told, unit) as Stamp } }, unit, highest: undefined })
        : sameDot(stamp, dotOf(told))
    const from = all.filter(isIt).map(({ told }) => told)
    return from.some((each) =>
      leadsBackTo(
        table,
        all.map(({ told }) => told),
        each,
        { unit: of, value },
      ),
    )
  }

  private entriesOf(table: Replicated, row: OfRow): Promise<Stored[]> {
    const { history } = this.tx.t
    return this.read(
      and(
        eq(history.school_id, this.school),
        eq(history.near_id, nearOf(table, { ...row.values, id: row.id })),
        eq(history.row_id, row.id),
      ),
    )
  }

  /** Every signed entry of a row. */
  private async allOf(table: Replicated, state: RowState): Promise<Signed[]> {
    const dots = new Map(
      (await this.entriesOf(table, state)).map(({ node_id, node_seq }) => [`${node_id} ${node_seq}`, [node_id, node_seq] as const]),
    )
    const stored: Signed[] = []
    for (const [node, counter] of dots.values()) stored.push(...(await this.storedOf(table, state, [node, counter])))
    return [...this.brought(state.id), ...stored]
  }

  private brought(id: string): Signed[] {
    return (this.byRow.get(id) ?? []).flatMap((entry) => {
      const verdict = this.page.verdicts.get(transactionOf(entry)) ?? 'none'
      return typeof verdict === 'object' ? [{ told: toldIn(entry), signer: verdict.signer }] : []
    })
  }

  /** Entries of the row of the number that a stamp has, as far as they are signed. */
  private storedOf(table: Replicated, row: OfRow, [node, counter]: readonly [string, number, ...unknown[]]): Promise<Signed[]> {
    const { id } = row
    const key = `${table}:${id} ${node} ${counter}`
    const known = this.stored.get(key) ?? this.readStored(nearOf(table, { ...row.values, id: row.id }), id, [node, counter])
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

const dotOf = ({ node_id, node_seq, actor_id }: JournalEntry): Stamp => [node_id, node_seq, 0, actor_id]
export const toldIn = <E extends Omit<HistoryEntry, 'head' | 'proof' | 'near_id'>>({ at, changes, detail, ...entry }: E) => ({
  ...entry,
  at: Date.parse(at),
  changes: textToChanges(changes),
  detail: detail === null ? null : parsedDetail(detail),
})
