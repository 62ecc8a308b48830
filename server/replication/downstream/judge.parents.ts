import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import type { RowState } from '@markbook/sync/merge/state'
import { EXISTENCE } from '@markbook/sync/versions'
import { keyOf, linksFrom, parentIdOf } from '../../store/replica/links.ts'
import { knownRows } from '../../store/replica/states.ts'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

/**
 * The rows that a laptop created and that were refused, in this page or before. A unit that names one of them is refused too: it would be
 * held here for good, and the laptop would keep the refused row for its sake.
 */
export class RefusedParents {
  private readonly ofPage = new Set<string>()
  private before: Promise<ReadonlySet<string>> | undefined

  constructor(
    private readonly tx: ReadTx,
    private readonly peer: Pick<Row<'sync_peer'>, 'id' | 'kind' | 'school_id'>,
  ) {}

  note(table: Replicated, id: string): void {
    if (this.peer.kind === 'laptop') this.ofPage.add(keyOf({ table, id }))
  }

  /** Whether this unit names a refused row that is not here. Never of a server. */
  async areNamedIn(table: Replicated, unit: string, { values }: RowState): Promise<boolean> {
    if (this.peer.kind !== 'laptop') return false
    const { units, identity } = descriptions[table]
    const own = unit === EXISTENCE ? identity : (units[unit] ?? [])
    for (const link of linksFrom(table)) {
      const isNamed =
        link.columns.some((column) => own.includes(column)) && link.columns.every((column) => typeof values[column] === 'string')
      const id = isNamed ? parentIdOf(link, { ...values, id: '' }) : null
      if (id !== null && (await this.isRefused(link.parent, id))) return true
    }
    return false
  }

  private async isRefused(table: Replicated, id: string): Promise<boolean> {
    this.before ??= this.refusedBefore()
    const key = keyOf({ table, id })
    if (!this.ofPage.has(key) && !(await this.before).has(key)) return false
    return (await knownRows(this.tx, table, this.peer.school_id as string, [id])).size === 0
  }

  private async refusedBefore(): Promise<ReadonlySet<string>> {
    const [school, peer] = [this.peer.school_id as string, this.peer.id]
    const refused = (await refusedOf(this.tx, { school, peer })).map(({ table_name: table, row_id: id }) => keyOf({ table, id }))
    return new Set([...refused, ...(await undecidedIn(this.tx, { school })).map(({ entity: table, row_id: id }) => keyOf({ table, id }))])
  }
}

const refusedOf = rowsBy(
  'sync_refused',
  { school: 'school_id', peer: 'peer_id' },
  { columns: ['table_name', 'row_id'], where: { unit: EXISTENCE } },
)
/** Creations that were refused and kept as a conflict of kind `right`, which nobody has decided yet. */
const undecidedIn = rowsBy(
  'sync_conflict',
  { school: 'school_id' },
  { columns: ['entity', 'row_id'], where: { status: 'open', kind: 'right', unit: EXISTENCE } },
)
