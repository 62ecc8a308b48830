import { textToChanges } from '@markbook/shared/tables/changes'
import { descriptions, type Replicated, type Tables } from '@markbook/shared/tables/tables'
import {
  highIn,
  isLossIn,
  isWriteIn,
  type JournalEntry,
  type LostWrite,
  leadsBackTo,
  parsedDetail,
  stampIn,
  unitsIn,
} from '@markbook/sync/journal'
import type { RowState, Values } from '@markbook/sync/merge/state'
import type { HistoryEntry } from '@markbook/sync/protocol/entries'
import { covers, EXISTENCE, type Presence, type Stamp, sameDot, type Vector } from '@markbook/sync/versions'
import { and, eq, inArray } from 'drizzle-orm'
import { incarnations } from '../../store/node.ts'
import { nearIdOf } from '../../store/row-changes.ts'
import type { ReadTx } from '../../store/tx.ts'
import { entryColumns, partOf, type Signer, type StoredEntry, transactionOf, type Verdict, verdictsOn } from './signed-history.ts'

type SignedEntry = { entry: JournalEntry; signer: Signer }
type OfRow = Pick<RowState, 'id' | 'values'>
/** The signer of a write, and its stamp. */
export type Repeated = { signer: Signer; stamp: Stamp }

/**
 * Whether a signature is enough to take rows of the table from whoever brings them. Not for members, people, means of sign-in and
 * conflicts: these come only from the server that wrote them.
 */
export const isTakenAsSigned = (table: Replicated): boolean =>
  !descriptions[table].notOnLaptops && descriptions[table].scope !== 'commons' && table !== 'sync_conflict'

/** Looks up who signed writes of others that a child brings: in the history of the page, and in the history that is stored here. */
export class RowProofs {
  private readonly byRow = new Map<string, HistoryEntry[]>()
  private readonly stored = new Map<string, Promise<SignedEntry[]>>()

  constructor(
    private readonly tx: ReadTx,
    private readonly school: string,
    private readonly secret: string,
    /** The taken entries of the page, and what their signatures show. */
    private readonly page: { taken: readonly HistoryEntry[]; verdicts: ReadonlyMap<string, Verdict> },
  ) {
    for (const entry of page.taken) this.byRow.set(entry.row_id, [...(this.byRow.get(entry.row_id) ?? []), entry])
  }

  /** The signer of the last write of a unit with the values of the state; null where no node that is known here signed it. */
  async signerOf(table: Replicated, state: RowState, unit: string, known: RowState | undefined): Promise<Signer | null> {
    const stamp = state.units[unit]
    if (!stamp) return null
    const all = await this.under(table, state, stamp)
    const highs = all.map(({ entry }) => highIn(table, entry, unit) ?? 0)
    const highest = Math.max(known?.units[unit]?.[4] ?? 0, ...highs)
    return all.find(({ entry }) => isWriteIn(table, entry, { state, unit, highest }))?.signer ?? null
  }

  /**
   * The signer of a write that this node has not seen and that a later write by nobody repeats; null where there is none. That is how a
   * child gives way to a refusal, and it has no other proof of what stood where it was refused. `seen`: the vector of the row here; null
   * where the row is unknown. Then its deletion may be forgotten here, and no write from before a signed deletion comes back in this way.
   */
  async signerOfRepeated(table: Replicated, state: RowState, unit: string, seen: Vector | null): Promise<Repeated | null> {
    const [node, counter, , , high] = state.units[unit] as Stamp
    const all = (await this.allOf(table, state)).filter(({ entry }) => entry.entity === table)
    const deletions = seen ? [] : all.filter(({ entry }) => entry.action === 'delete')
    const forgotten = Math.max(0, ...deletions.map(({ entry }) => stampIn(table, entry, EXISTENCE)?.[2] ?? 0))
    for (const { entry, signer } of all) {
      const { node_id, node_seq } = entry
      // The repeating write itself is no proof.
      const isLater = node_id !== node || node_seq < counter
      const stamp = stampIn(table, entry, unit)
      if (!stamp || !isLater || covers(seen ?? {}, [node_id, node_seq]) || stamp[2] <= forgotten) continue
      const units = { ...state.units, [unit]: stamp }
      if (isWriteIn(table, entry, { state: { ...state, units }, unit, highest: high })) return { signer, stamp }
    }
    return null
  }

  /** Whether a node that is known here signed that a lost write was made. `values`: of the row, as far as they are known here. */
  async isSignedLoss(table: Replicated, loss: LostWrite, values: Values): Promise<boolean> {
    const all = await this.under(table, { id: loss.row, values: { ...values, ...loss.value } }, loss.stamp)
    const [, , , actor] = loss.stamp
    return all.some(({ entry, signer }) => (signer.kind !== 'laptop' || signer.user === actor) && isLossIn(table, entry, loss))
  }

  /**
   * Up to which counter a claim `[number, counter]` counts; 0 for not at all. A write counts as seen where the history, here or of the
   * page, has it, and the state bears it or a later write of somebody that is new here too. The claim alone proves nothing: it would make a
   * write that has yet to come count as seen.
   */
  async seenOf(table: Replicated, state: RowState, [node, upTo]: readonly [string, number], known: RowState | undefined): Promise<number> {
    // This node has all writes under its present number.
    if ((await incarnations(this.tx))[0] === node) return 0
    const isNews = ({ node_id, node_seq }: JournalEntry) =>
      node_id === node && node_seq <= upTo && !covers(known?.vv ?? {}, [node_id, node_seq])
    const entries = [...(this.byRow.get(state.id) ?? []), ...(await entriesOfRow(this.tx, this.school, table, state))].map(entryToJournal)
    const writes = entries.filter((each) => each.entity === table && isNews(each)).sort((a, b) => a.node_seq - b.node_seq)
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

  /** Whether a node that is known here signed that this write was made to the row. */
  async isMade(table: Replicated, row: OfRow, dot: Presence): Promise<boolean> {
    return (await this.under(table, row, dot)).some(({ entry }) => entry.entity === table && sameDot(dot, dotOf(entry)))
  }

  /**
   * Whether the writer of `unit` had seen the value that `of`, a unit, has here: whether the history leads back from the write to it.
   * `counts`: whether entries of a signer count on the way.
   */
  async hasSeen(
    table: Replicated,
    state: RowState,
    { unit, of, value }: { unit: string; of: string; value: Values },
    counts: (signer: Signer) => boolean,
  ) {
    const stamp = state.units[unit] as Stamp
    const all = (await this.allOf(table, state)).filter(
      ({ entry, signer }) => entry.entity === table && (counts(signer) || sameDot(stamp, dotOf(entry))),
    )
    const isIt = ({ entry }: SignedEntry) =>
      stamp[3] === null
        ? isWriteIn(table, entry, {
            state: { ...state, units: { [unit]: stampIn(table, entry, unit) as Stamp } },
            unit,
            highest: undefined,
          })
        : sameDot(stamp, dotOf(entry))
    const from = all.filter(isIt).map(({ entry }) => entry)
    return from.some((each) =>
      leadsBackTo(
        table,
        all.map(({ entry }) => entry),
        each,
        { unit: of, value },
      ),
    )
  }

  /** The signed entries of a row that the page brought, and those that are stored here under a dot. */
  private async under(table: Replicated, row: OfRow, dot: Presence | Stamp): Promise<SignedEntry[]> {
    return [...this.brought(row.id), ...(await this.storedOf(table, row, dot))]
  }

  /** Every signed entry of a row. */
  private async allOf(table: Replicated, state: RowState): Promise<SignedEntry[]> {
    const dots = new Map(
      (await entriesOfRow(this.tx, this.school, table, state)).map(({ node_id, node_seq }) => [
        `${node_id} ${node_seq}`,
        [node_id, node_seq] as const,
      ]),
    )
    const stored: SignedEntry[] = []
    for (const [node, counter] of dots.values()) stored.push(...(await this.storedOf(table, state, [node, counter])))
    return [...this.brought(state.id), ...stored]
  }

  private brought(id: string): SignedEntry[] {
    return (this.byRow.get(id) ?? []).flatMap((entry) => {
      const verdict = this.page.verdicts.get(transactionOf(entry)) ?? 'none'
      return typeof verdict === 'object' ? [{ entry: entryToJournal(entry), signer: verdict.signer }] : []
    })
  }

  private storedOf(table: Replicated, row: OfRow, [node, counter]: Presence | Stamp): Promise<SignedEntry[]> {
    const key = `${table}:${row.id} ${node} ${counter}`
    const known = this.stored.get(key) ?? this.readStored(table, row, [node, counter])
    this.stored.set(key, known)
    return known
  }

  private async readStored(table: Replicated, row: OfRow, [node, counter]: Presence): Promise<SignedEntry[]> {
    const { history } = this.tx.t
    const isOfDot = and(eq(history.node_id, node), eq(history.node_seq, counter))
    const found = await entriesWhere(this.tx, and(isOfRow(history, this.school, table, row), isOfDot))
    const signed = found.flatMap((entry): SignedEntry[] =>
      entry.source_id === null ? [{ entry: entryToJournal(entry), signer: { kind: 'self' } }] : [],
    )
    if (signed.length === found.length) return signed
    // One of the entries that came together bears the signature.
    const seqs = [...new Set(found.flatMap(({ seq, source_id }) => (source_id === null ? [] : [seq])))]
    const together = await entriesWhere(this.tx, and(eq(history.school_id, this.school), inArray(history.seq, seqs), isOfDot))
    const verdicts = await verdictsOn(this.tx, this.school, this.secret, together, partOf)
    for (const entry of together) {
      const verdict = verdicts.get(partOf(entry))
      if (entry.row_id === row.id && typeof verdict === 'object') signed.push({ entry: entryToJournal(entry), signer: verdict.signer })
    }
    return signed
  }
}

/** Every entry of a row that is stored here. */
export const entriesOfRow = (tx: ReadTx, school: string, table: Replicated, row: OfRow): Promise<StoredEntry[]> =>
  entriesWhere(tx, isOfRow(tx.t.history, school, table, row))

const isOfRow = (history: Tables['history'], school: string, table: Replicated, { id, values }: OfRow) =>
  and(eq(history.school_id, school), eq(history.near_id, nearIdOf(table, { ...values, id })), eq(history.row_id, id))

async function entriesWhere(tx: ReadTx, where: ReturnType<typeof and>): Promise<StoredEntry[]> {
  const { history } = tx.t
  return tx.db.select(entryColumns(history)).from(history).where(where) as Promise<StoredEntry[]>
}

const dotOf = ({ node_id, node_seq, actor_id }: JournalEntry): Stamp => [node_id, node_seq, 0, actor_id]
export const entryToJournal = <E extends Omit<HistoryEntry, 'head' | 'proof' | 'near_id'>>({ at, changes, detail, ...entry }: E) => ({
  ...entry,
  at: Date.parse(at),
  changes: textToChanges(changes),
  detail: detail === null ? null : parsedDetail(detail),
})
