import { everyParent } from '../replication/identity/enrolment.ts'
import { setPeer } from '../store/peer-row.ts'
import type { WriteTx } from '../store/tx.ts'

/**
 * Writes on a laptop as a modified program would: while `write` runs, the node is not registered as a laptop, so nothing is refused here
 * that its parent will refuse.
 */
export async function asModifiedProgram<T>(tx: WriteTx, write: () => Promise<T>): Promise<T> {
  const parents = (await everyParent(tx)).filter(({ user_id }) => user_id !== null)
  const name = async (of: (user: string | null) => string | null) => {
    for (const { id, user_id } of parents) await setPeer(tx, id, { user_id: of(user_id) })
  }
  await name(() => null)
  const written = await write()
  await name((user) => user)
  return written
}
