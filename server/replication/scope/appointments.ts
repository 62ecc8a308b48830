import type { RowState } from '@markbook/sync/merge/state'
import { knownRows, rowsWhere } from '../../store/replica/states.ts'
import type { ReadTx } from '../../store/tx.ts'
import { isAdminAwaited } from './consent.ts'

/** The last mark of a role's stamp: whoever bears it was an administrator at some time (sync/stamp.ts). */
const WAS_ADMIN = 1

/**
 * Who may have made administrators of a school, which a school's server is asked about: who ever was one here, whoever founds
 * the school, who became one in the same page by one of those, and who was made one by them and has not agreed here yet.
 */
export class Appointments {
  private readonly inPage = new Set<unknown>()

  constructor(
    private readonly tx: ReadTx,
    private readonly school: string,
  ) {}

  /** Before the page's members are asked about: who became an administrator while the line was down may be none any more. */
  async note(members: readonly RowState[]): Promise<void> {
    for (let before = -1; before < this.inPage.size; ) {
      before = this.inPage.size
      for (const { units, values } of members) {
        const [, , , actor = null, mark] = units['role'] ?? []
        if (mark === WAS_ADMIN && (await this.mayAppoint(actor))) this.inPage.add(values['user_id'])
      }
    }
  }

  async mayAppoint(actor: string | null): Promise<boolean> {
    if (actor === null || this.inPage.has(actor)) return true
    const members = await rowsWhere(this.tx, 'school_management', this.school)
    if (members.length === 0) return true
    const own = members.filter(({ user_id }) => user_id === actor).map(({ id }) => id)
    const known = await knownRows(this.tx, 'school_management', this.school, own)
    if ([...known.values()].some((each) => each.state.units['role']?.[4] === WAS_ADMIN)) return true
    return isAdminAwaited(this.tx, this.school, actor)
  }
}
