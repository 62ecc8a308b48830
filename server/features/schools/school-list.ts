import { compareText, fold } from '@markbook/shared/domain/fold'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import type { Services } from '../../http/services.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'
import { activeSchools, schoolsRevision } from './schools.queries.ts'

/** The cache key of the list (specification, «Limits»). */
const SCHOOL_LIST_KEY = 'schools:all'

type Listed = Pick<Row<'school'>, 'id' | 'name' | 'school_type'>

async function revisionOf(tx: ReadTx): Promise<string> {
  const [revision] = await schoolsRevision(tx, {})
  return `${revision?.count}:${revision?.seqs}`
}

const byName = (a: Listed, b: Listed) => compareText(fold(a.name), fold(b.name)) || compareText(a.name, b.name) || compareText(a.id, b.id)

/**
 * The active schools by name, ignoring case and accents. The list is cached with its revision. The present revision is read first, so that
 * an older list is never returned.
 */
export async function schoolList({ store, cache }: Pick<Services, 'store' | 'cache'>): Promise<Listed[]> {
  const current = await store.read(asSystem(), revisionOf)
  const known = await cache.get<Listed[]>(SCHOOL_LIST_KEY, current)
  if (known) return known
  const read = await store.read(asSystem(), async (tx) => ({ revision: await revisionOf(tx), rows: await activeSchools(tx, {}) }))
  const list = read.rows.sort(byName)
  await cache.set(SCHOOL_LIST_KEY, list, limits.cache.schoolListMs, read.revision)
  return list
}
