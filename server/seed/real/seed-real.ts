import { clientOf } from '@markbook/shared/contract/client'
import { contract } from '@markbook/shared/contract/contract'
import { naturalId } from '@markbook/shared/ids'
import { ConfigError } from '../../config.ts'
import { createApp } from '../../http/app.ts'
import { cookieName, sessionCookies } from '../../http/cookies.ts'
import type { Services } from '../../http/services.ts'
import { startSession } from '../../http/sessions.ts'
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
  const { store, keys, config } = services
  const settings = { name: cookieName(config.cookiePrefix, config.projectRef), secure: config.secureCookies }
  const session = await store.write(asSystem(), async (tx) => startSession(tx, await makeHead(tx), keys))
  const cookie = sessionCookies(session, settings, 3_600, undefined)
    .map((line) => line.split(';')[0])
    .join('; ')
  const app = createApp(services)
  const api = clientOf(contract, {
    baseUrl: config.publicUrl,
    send: async (request) => {
      request.headers.set('cookie', cookie)
      return app.fetch(request)
    },
  })
  await api.schools.create({ body: { name: 'Real Marks Secondary School', schoolType: 'secondary' } })
  await loadRealPupils(api, report)
  await api.auth.logout()
}
