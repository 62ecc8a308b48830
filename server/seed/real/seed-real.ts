import { naturalId } from '@markbook/shared/ids'
import { actAs } from '../../acting.ts'
import { ConfigError } from '../../config.ts'
import type { Services } from '../../http/services.ts'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { loadRealPupils } from './load-real.ts'

/** Who signs in to see the real marks. */
export const REAL_ADMIN = 'head@realmarks.example'

async function makeHead(tx: WriteTx): Promise<string> {
  const schools = await tx.db.select({ id: tx.t.school.id }).from(tx.t.school).limit(1)
  if (schools.length > 0) {
    throw new ConfigError('This database already holds a school, so nothing was added to it. Choose another with DATA_DIR or DATABASE_URL.')
  }
  const id = naturalId('user', REAL_ADMIN)
  const person = { id, email: REAL_ADMIN, first_name: 'Alice', last_name: 'Tavares' }
  await tx.insert('user_profile', [{ ...person, school_id: null }])
  return id
}

/**
 * Opens a school in an empty database and fills it with the real pupils, all through the service in this process. `report` gets a
 * line for each step. Throws ConfigError where there is a school already.
 */
export async function seedRealPupils(services: Services, report: (line: string) => void): Promise<void> {
  const userId = await services.store.write(asSystem(), makeHead)
  const { api, end } = await actAs(services, userId)
  await api.schools.create({ body: { name: 'Real Marks Secondary School', schoolType: 'secondary' } })
  await loadRealPupils(api, report)
  await end()
}
