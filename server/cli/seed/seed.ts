import { story } from '@markbook/shared/story/story'
import { ConfigError } from '../../config.ts'
import { insertByTable } from '../../store/rows-by-table.ts'
import type { Store } from '../../store/store.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'

/** Throws ConfigError where the database has a school. */
export async function demandNoSchool(tx: ReadTx): Promise<void> {
  if ((await tx.db.$count(tx.t.school)) === 0) return
  throw new ConfigError('This database already holds a school, so nothing was added to it. Choose another with DATA_DIR or DATABASE_URL.')
}

/** Loads the story into a database without a school; throws ConfigError where it has one. */
export async function seedStory(store: Store): Promise<void> {
  await store.read(asSystem(), demandNoSchool)
  await loadStory(store)
}

/** Inserts the rows of the story through the change tracker, like any other write. */
export const loadStory = (store: Store): Promise<void> => store.write(asSystem(), (tx) => insertByTable(tx, story))
