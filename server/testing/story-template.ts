import { loadStory } from '../cli/seed/seed.ts'
import { repeatableIds, testClock } from './clock.ts'
import { type DatabaseName, detachTestDatabase, openTestDatabase } from './database.ts'

/** The seed of the ids of the schools that are copied from the template. A school with another seed has other ids, and loads the story itself. */
export const TEMPLATE_SEED = 'school'

/** `source`: the folder (SQLite) or database name (Postgres) to copy. `ids`: how many ids were drawn for what is in it. */
export type StoryTemplate = { source: string; ids: number }

const templates = new Map<DatabaseName, Promise<StoryTemplate>>()

/** A migrated database with the story in it: made once in this process, and copied for each school of its tests. */
export function storyTemplate(database: DatabaseName, cluster: string): Promise<StoryTemplate> {
  const known = templates.get(database)
  if (known) return known
  const made = makeTemplate(database, cluster)
  templates.set(database, made)
  return made
}

async function makeTemplate(database: DatabaseName, cluster: string): Promise<StoryTemplate> {
  const clock = testClock()
  const source = repeatableIds(clock, TEMPLATE_SEED)
  let ids = 0
  const newId = () => {
    ids += 1
    return source()
  }
  const made = await openTestDatabase(database, { clock, newId }, cluster)
  await loadStory(made.store)
  return { source: await detachTestDatabase(made), ids }
}
