import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import type { JournalEntry } from '@markbook/sync/journal'
import { MADE_BY_RULE } from '@markbook/sync/merge/conflict'
import { isSame, pick, type RowState, type Values } from '@markbook/sync/merge/state'
import { covers, EXISTENCE, type Stamp, sameDot } from '@markbook/sync/versions'
import { keyOf } from '../../store/replica/links.ts'
import { type KnownRow, knownByKey, knownRows } from '../../store/replica/states.ts'
import type { ReadTx } from '../../store/tx.ts'
import { entriesOfRow, entryToJournal, type RowProofs } from '../journal/row-proofs.ts'
import { numbersOf } from '../scope/writers.ts'

type Peer = Pick<Row<'sync_peer'>, 'school_id' | 'user_id' | 'node_id'>
type Conflict = Row<'sync_conflict'>

/**
 * Decides which conflict records are taken from a laptop: those that a merge makes there, of a lost write of the laptop's own person, of
 * one that is known here, or of one that its writer has signed. Known here means before anything of the page was taken, since the laptop's
 * own rows can say anything.
 */
export class ConflictRecords {
  private readonly refused = new Set<string>()

  private constructor(
    private readonly tx: ReadTx,
    private readonly peer: Peer,
    private readonly before: ReadonlyMap<string, KnownRow>,
    private readonly proofs: RowProofs,
  ) {}

  static async of(tx: ReadTx, peer: Peer, records: readonly RowState[], proofs: RowProofs): Promise<ConflictRecords> {
    const named = records.map(({ values }) => ({ table: values['entity'] as string, id: values['row_id'] as string }))
    const before = await knownByKey(tx, peer.school_id as string, named)
    return new ConflictRecords(tx, peer, before, proofs)
  }

  /** Notes units of a row that were refused. Rows are judged before the decisions about them. */
  noteRefused(table: Replicated, id: string, units: readonly { unit: string }[]): void {
    for (const { unit } of units) this.refused.add(`${keyOf({ table, id })}:${unit}`)
  }

  /** Whether the push also wrote the unit in conflict, and that was refused. */
  isOfRefused({ entity, row_id, unit }: Conflict): boolean {
    return this.refused.has(`${keyOf({ table: entity, id: row_id })}:${unit}`)
  }

  /** Whether a decision was made by a write that stands here now: whoever may write a value may decide by writing it (SPEC, I18). */
  async isByWriting({ entity, row_id, unit, kind }: Conflict, decision: Stamp): Promise<boolean> {
    if (kind !== 'value' || !Object.hasOwn(descriptions, entity)) return false
    const known = (await knownRows(this.tx, entity as Replicated, this.peer.school_id as string, [row_id])).get(row_id)
    const stamp = known?.state.units[unit]
    return stamp !== undefined && sameDot(stamp, decision)
  }

  /** Whether a record that is unknown here was made by a merge. Who decided it, if somebody did, is judged separately. */
  async isOfMerge({ units, vv, values }: RowState): Promise<boolean> {
    const conflict = values as Conflict
    if (!isMade(units[EXISTENCE]) || vv[MADE_BY_RULE] !== 1 || !isReadable(conflict)) return false
    const isUndecided = conflict.status !== 'resolved' && !conflict.resolved_at && !conflict.resolved_by && !conflict.resolution
    if (isMade(units['status']) && !isUndecided) return false
    return (await this.isOwn(conflict)) || (await this.isKnown(conflict)) || this.isSigned(conflict)
  }

  /** Whether the lost write was made by the laptop's person on a laptop. */
  private async isOwn({ actor_id, node_id, entity }: Conflict): Promise<boolean> {
    const { user_id, school_id } = this.peer
    if (actor_id === null || actor_id !== user_id || descriptions[entity as Replicated].notOnLaptops) return false
    const numbers = await numbersOf(this.tx, { school: school_id as string, user: user_id })
    return numbers.some((each) => each.node_id === node_id)
  }

  private async isSigned({ entity, row_id: row, unit, node_id, counter, hlc, actor_id, value }: Conflict): Promise<boolean> {
    const table = entity as Replicated
    if (descriptions[table].notOnLaptops || descriptions[table].scope === 'commons') return false
    const values = this.before.get(keyOf({ table: entity, id: row }))?.state.values ?? {}
    return this.proofs.isSignedLoss(table, { row, unit, stamp: [node_id, counter, hlc, actor_id], value }, values)
  }

  private async isKnown(conflict: Conflict): Promise<boolean> {
    const { entity, row_id, unit, node_id, counter, hlc, actor_id, value } = conflict
    const state = this.before.get(keyOf({ table: entity, id: row_id }))?.state
    if (!state || !covers(state.vv, [node_id, counter])) return false
    const stamp = state.units[unit]
    if (stamp && sameDot(stamp, [node_id, counter, hlc, actor_id])) {
      const here = unit === EXISTENCE ? value : pick(state.values, descriptions[entity as Replicated].units[unit] ?? [])
      return stamp[3] === actor_id && stamp[2] === hlc && isSame(here, value)
    }
    const entries = (await entriesOfRow(this.tx, this.peer.school_id as string, entity as Replicated, state)).map(entryToJournal)
    // By the dot; else the write may have had another dot before its node began anew.
    const same = entries.filter((each) => each.node_id === node_id && each.node_seq === counter)
    const ever = (column: string, wanted: unknown) =>
      isSame(state.values[column], wanted) ||
      entries.some(({ changes }) => [changes[column]?.before, changes[column]?.after].some((each) => isSame(each, wanted)))
    return (same.length > 0 ? same : entries).some((each) => each.actor_id === actor_id && says(each, value, ever))
  }
}

const isMade = (stamp: Stamp | undefined): boolean => isSame(stamp, [MADE_BY_RULE, 1, 0, null])

/** Whether the unit may be shown and, where this program knows it, whether the value has exactly its columns. */
function isReadable({ entity, unit, value }: Conflict): boolean {
  if (!Object.hasOwn(descriptions, entity) || descriptions[entity as Replicated].sealed || entity === 'sync_conflict') return false
  const columns = descriptions[entity as Replicated].units[unit]
  return unit === EXISTENCE || !columns || value === null || isSame(Object.keys(value).sort(), [...columns].sort())
}

/**
 * Whether an entry wrote this value. A column that the entry does not change must have had its value before: `ever` says whether the column
 * is known to have held it.
 */
function says({ action, changes }: JournalEntry, value: Values | null, ever: (column: string, wanted: unknown) => boolean): boolean {
  if (value === null) return action === 'delete'
  const columns = Object.keys(value)
  if (action === 'delete' || (action === 'update' && !columns.some((column) => column in changes))) return false
  return columns.every((column) => {
    if (column in changes) return isSame(changes[column]?.after, value[column])
    return action === 'create' ? isSame(null, value[column]) : ever(column, value[column])
  })
}
