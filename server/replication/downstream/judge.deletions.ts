import { isLocked, type ReportStatus } from '@markbook/shared/domain/report-moves'
import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { pick, type RowState, type Values } from '@markbook/sync/merge/state'
import { keyOf, type RowName, tableOrder } from '../../store/replica/links.ts'
import { isLost, type KnownRow, knownRows, rowsNaming } from '../../store/replica/states.ts'
import type { ReadTx } from '../../store/tx.ts'

/** The rows with which a row goes by the declarations of `cascade`. */
const parentsIn = (table: Replicated, values: Values): RowName<Replicated>[] =>
  tableOrder.flatMap((parent) =>
    (descriptions[parent].cascade ?? []).flatMap(({ table: child, column }) => {
      const id = values[column]
      return child === table && typeof id === 'string' ? [{ table: parent, id }] : []
    }),
  )

/** Whether a laptop's deletions are such as the routes make. In a page the rows with which others go come before these. */
export class Deletions {
  private readonly taken = new Set<string>()
  private readonly refused = new Set<string>()

  constructor(
    private readonly tx: ReadTx,
    private readonly peer: Pick<Row<'sync_peer'>, 'school_id'>,
  ) {}

  note(table: Replicated, id: string, isTaken: boolean): void {
    ;(isTaken ? this.taken : this.refused).add(keyOf({ table, id }))
  }

  /**
   * Whether a row may go as a route would delete it: not from a row whose deletion is refused, and alone only where a route does so. One
   * that stays in spite of its deletion is a conflict, whoever deleted it. `after`: the row, merged with what is `known` here.
   */
  async mayEnd(table: Replicated, after: RowState, known: KnownRow | undefined): Promise<boolean> {
    const here = known && !isLost(known) ? known.state : after
    // On the laptop a book may have gone to another class before it was deleted with that.
    const said = { ...after.values, ...pick(here.values, descriptions[table].identity) }
    const parents = [...parentsIn(table, here.values), ...parentsIn(table, said)]
    if (parents.some((parent) => this.refused.has(keyOf(parent)))) return false
    if (table === 'student_group' && (await this.hasSentBook(after.id))) return false
    const isGone = here.alive.length > 0 && after.alive.length === 0
    return !isGone || !descriptions[table].notDeletedAlone?.(after.values) || this.isAnyDeleted(parents)
  }

  private async hasSentBook(group: string): Promise<boolean> {
    const books = await rowsNaming(this.tx, 'report_book', this.peer.school_id as string, 'student_group_id', [group])
    return books.some(({ status }) => isLocked(status as ReportStatus))
  }

  /** Whether one of these is deleted here, or is said to be in the page, also where it stays for others. */
  private async isAnyDeleted(parents: readonly RowName<Replicated>[]): Promise<boolean> {
    for (const parent of parents) {
      if (this.taken.has(keyOf(parent))) return true
      const { table, id } = parent
      const known = (await knownRows(this.tx, table, this.peer.school_id as string, [id])).get(id)
      if (known && known.state.alive.length === 0) return true
    }
    return false
  }
}
