import { stBrigids } from '@markbook/shared/story/people'
import { story } from '@markbook/shared/story/story'
import { ConfigError } from '../../config.ts'
import { insertByTable } from '../../store/rows-by-table.ts'
import type { Store } from '../../store/store.ts'
import { asSystem } from '../../store/tx.ts'

/** Loads the story where there is no school yet. `again`: content where the story is there already, which answers false. Refuses any other database. */
export async function seedStory(store: Store, { again }: { again: boolean }): Promise<boolean> {
  const schools = await store.read(asSystem(), (tx) => tx.db.select({ id: tx.t.school.id }).from(tx.t.school).limit(50))
  if (schools.length === 0) {
    await loadStory(store)
    return true
  }
  if (again && schools.some(({ id }) => id === stBrigids)) return false
  throw new ConfigError('This database already holds a school, so nothing was added to it. Choose another with DATA_DIR or DATABASE_URL.')
}

/** Puts the story's rows into an empty database, through the change tracker like any other write. */
export const loadStory = (store: Store): Promise<void> => store.write(asSystem(), (tx) => insertByTable(tx, story))
