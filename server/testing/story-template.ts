import { loadStory } from '../cli/seed/seed.ts'
import { repeatableIds, testClock } from './clock.ts'
import { type DatabaseName, detachTestDatabase, openTestDatabase } from './database.ts'

/** `source`: the folder (SQLite) or database name (Postgres) to copy. `ids`: how many ids were drawn for what is in it. */
export type StoryTemplate = { source: string; ids: number }

const templates = new Map<string, Promise<StoryTemplate>>()

/** A migrated database with the story in it, whose ids come from `seed`: made once in this process, and copied for each school of its tests. */
export function storyTemplate(database: DatabaseName, cluster: string, seed: string): Promise<StoryTemplate> {
  const key = `${database} ${seed}`
  const known = templates.get(key)
  if (known) return known
  const made = makeTemplate(database, cluster, seed)
  templates.set(key, made)
  return made
}

async function makeTemplate(database: DatabaseName, cluster: string, seed: string): Promise<StoryTemplate> {
  const clock = testClock()
  const source = repeatableIds(clock, seed)
  let ids = 0
  const newId = () => {
    ids += 1
    return source()
  }
  const made = await openTestDatabase(database, { clock, newId }, cluster)
  await loadStory(made.store)
  return { source: await detachTestDatabase(made), ids }
}
