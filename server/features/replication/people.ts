import type { Row } from '@markbook/shared/tables/tables'
import { peopleAwaited } from '../../replication/scope/consent.ts'
import { rowsById } from '../../store/replica/states.ts'
import type { ReadTx } from '../../store/tx.ts'

type Person = { id: string; first_name: string | null; last_name: string | null } | null

/**
 * The names of people by id, as far as this node knows them and may reveal them in the school; null for the school: on the command line,
 * where all are revealed.
 */
export async function peopleNamed(
  tx: ReadTx,
  school: string | null,
  ids: readonly (string | null)[],
): Promise<(id: string | null) => Person> {
  const wanted = [...new Set(ids.filter((id) => id !== null))]
  const rows = (await rowsById(tx, 'user_profile', '', wanted)) as Row<'user_profile'>[]
  const awaited = school === null ? new Set() : await peopleAwaited(tx, school, wanted)
  const told = rows.filter(({ id }) => !awaited.has(id))
  const known = new Map(told.map(({ id, first_name, last_name }) => [id, { id, first_name, last_name }]))
  return (id) => (id === null ? null : (known.get(id) ?? { id, first_name: null, last_name: null }))
}
