import { type Client, clientOf } from '@markbook/shared/contract/client'
import { contract } from '@markbook/shared/contract/contract'
import { OWN_PROGRAM } from '@markbook/shared/domain/device'
import { createApp } from '../app/app.ts'
import { cookieName, sessionCookies } from '../http/cookies.ts'
import type { Services } from '../http/services.ts'
import { type SessionClient, startSession } from '../http/sessions.ts'
import { asSystem } from '../store/tx.ts'

const CONSOLE: SessionClient = { program: OWN_PROGRAM, system: null, address: null }

/** The contract's endpoints, called as one person. */
export type Api = Client<typeof contract>
type Acting = { api: Api; end(): Promise<void> }

/**
 * Calls the service in this process as one person: with their rights, and under their name in the history. For the command line, whose user
 * already has full access to the database. Starts a session for it; `end` ends that session.
 */
export async function actAs(services: Services, userId: string): Promise<Acting> {
  const { store, keys, config } = services
  const settings = { name: cookieName(config.cookiePrefix, config.projectRef), secure: config.secureCookies }
  const session = await store.write(asSystem(), (tx) => startSession(tx, userId, keys, CONSOLE))
  const cookie = sessionCookies(session, settings, 3_600, undefined)
    .map((line) => line.split(';')[0])
    .join('; ')
  // No remote client signed in, and the command itself prints refusals: so neither is logged.
  const log = { info: () => {}, warn: () => {}, error: services.log.error.bind(services.log) }
  const app = createApp({ ...services, log })
  const api = clientOf(contract, {
    baseUrl: config.publicUrl,
    send: async (request) => {
      request.headers.set('cookie', cookie)
      return app.fetch(request)
    },
  })
  return { api, end: async () => void (await api.auth.logout()) }
}

/** Does some work as one person, and ends the session afterwards, also where the work throws. */
export async function actingAs<T>(services: Services, userId: string, work: (api: Api) => Promise<T>): Promise<T> {
  const { api, end } = await actAs(services, userId)
  try {
    return await work(api)
  } finally {
    await end()
  }
}
