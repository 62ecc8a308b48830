import { type PersonName, people } from '@markbook/shared/story/people'
import { loadStory } from '../cli/seed/seed.ts'
import type { CookieSession } from '../http/cookies.ts'
import { startSession } from '../http/sessions.ts'
import { keysOf } from '../http/tokens.ts'
import type { Store } from '../store/store.ts'
import { asSystem } from '../store/tx.ts'
import { repeatableIds, testClock } from './clock.ts'
import { type DatabaseName, detachTestDatabase, openTestDatabase } from './database.ts'

export const SESSION_SECRET = 'a secret that only the tests of Markbook know'

export type Sessions = Partial<Record<PersonName, CookieSession>>
/**
 * An initial state of a school. `source`: the folder (SQLite) or database name (Postgres) to copy. `ids`: how many ids were drawn for its
 * rows. `sessions`: its sessions.
 */
export type SchoolImage = { source: string; ids: number; sessions: Sessions }

const templates = new Map<string, Promise<SchoolImage>>()

/**
 * A migrated database with the story, with ids from `seed`, and a session of everybody under `SESSION_SECRET`. Made once in this process,
 * and copied for each school of its tests.
 */
export function storyTemplate(database: DatabaseName, cluster: string, seed: string): Promise<SchoolImage> {
  const key = `${database} ${seed}`
  const known = templates.get(key)
  if (known) return known
  const made = makeTemplate(database, cluster, seed)
  templates.set(key, made)
  return made
}

async function makeTemplate(database: DatabaseName, cluster: string, seed: string): Promise<SchoolImage> {
  const clock = testClock()
  const source = repeatableIds(clock, seed)
  let ids = 0
  const newId = () => {
    ids += 1
    return source()
  }
  const made = await openTestDatabase(database, { clock, newId }, cluster)
  await loadStory(made.store)
  const sessions = await signInAll(made.store)
  return { source: await detachTestDatabase(made), ids, sessions }
}

/** Sessions for everybody in the story, without mail; sign-in has its own tests. */
export const signInAll = (store: Store, secret = SESSION_SECRET): Promise<Sessions> =>
  store.write(asSystem(), async (tx) => {
    const sessions: [string, CookieSession][] = []
    for (const [name, { id }] of Object.entries(people)) sessions.push([name, await startSession(tx, id, keysOf(secret))])
    return Object.fromEntries(sessions)
  })
