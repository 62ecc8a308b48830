import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { type JournalEntry, stampIn, valuesInEntry } from '@markbook/sync/journal'
import type { RowState, Values } from '@markbook/sync/merge/state'
import { compareStamps, type Stamp } from '@markbook/sync/versions'
import type { ReadTx } from '../../store/tx.ts'
import { entriesOfRow, entryToJournal } from '../journal/row-proofs.ts'
import { isWritable } from '../scope/normal-form.ts'

/**
 * Of the refused units whose value nobody could have written through the interface, the columns as they were written last before that, as
 * far as the history here tells it. So a mark that somebody changed outside the program is again what its teacher typed. `theirs`: the row
 * at the parent, whose value is taken where it was written as late or later.
 */
export async function lastSound(
  tx: ReadTx,
  school: string,
  table: Replicated,
  { state, units, theirs }: { state: RowState; units: readonly string[]; theirs: RowState | null },
): Promise<Values> {
  const columnsOf = (unit: string) => descriptions[table].units[unit] ?? []
  const impossible = units.filter((unit) => state.units[unit] && !isWritable(table, state.values, columnsOf(unit)))
  if (impossible.length === 0) return {}
  const entries = (await entriesOfRow(tx, school, table, state)).map(entryToJournal).filter((entry) => entry.entity === table)
  const sound: Values[] = impossible.map((unit) => {
    const columns = columnsOf(unit)
    const [, , hlc] = state.units[unit] as Stamp
    const writes = entries.flatMap((entry) => {
      const stamp = entry.action === 'delete' ? null : stampIn(table, entry, unit)
      const isTold = columns.every((column) => tells(entry, column))
      return stamp && isTold && stamp[2] <= hlc ? [{ stamp, values: valuesInEntry(table, entry, unit) }] : []
    })
    const [last] = writes
      .filter(({ values }) => isWritable(table, { ...state.values, ...values }, columns))
      .sort((a, b) => compareStamps(b.stamp, a.stamp))
    const standing = theirs?.units[unit]
    return last && (!standing || compareStamps(last.stamp, standing) > 0) ? last.values : {}
  })
  return Object.assign({}, ...sound)
}

/** Entries of older programs tell only the columns that changed. */
const tells = ({ action, changes, detail }: JournalEntry, column: string): boolean =>
  action === 'create' || column in changes || (detail?.values !== undefined && column in detail.values)
