import type { RowState } from '@markbook/sync/merge/state'
import { knownRows, rowsWhere } from '../../store/replica/states.ts'
import type { ReadTx } from '../../store/tx.ts'
import { isAdminAwaited } from './consent.ts'

/** The `high` of a role's stamp where the person was ever an administrator (sync/stamp.ts). */
const WAS_ADMIN = 1

/**
 * Whether a person may have appointed administrators of a school; asked about the writes of a school's server. That may be:
 * - who was ever an administrator here
 * - who founds the school, which has no members here yet
 * - who was appointed in the same page by one of these
 * - who was appointed by one of these and has not agreed here yet (consent.ts)
 */
export class Appointments {
  private readonly inPage = new Set<unknown>()

  constructor(
    private readonly tx: ReadTx,
    private readonly school: string,
  ) {}

  /**
   * Notes whom the page appoints. Call before its members are judged: an administrator who appointed others may have lost the role since.
   */
  async note(members: readonly RowState[]): Promise<void> {
    for (let before = -1; before < this.inPage.size; ) {
      before = this.inPage.size
      for (const { units, values } of members) {
        const [, , , actor = null, mark] = units['role'] ?? []
        if (mark === WAS_ADMIN && (await this.mayAppoint(actor))) this.inPage.add(values['user_id'])
      }
    }
  }

  /** `actor`: the author of the appointment; null for the program, which may. */
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
