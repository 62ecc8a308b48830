import { stBrigids } from '@markbook/shared/story/people'
import { eq } from 'drizzle-orm'
import { insertByTable } from '../../store/rows-by-table.ts'
import type { Store } from '../../store/store.ts'
import { asSystem } from '../../store/tx.ts'
import { seedStory } from '../seed/seed.ts'
import { classmates } from './classmates.ts'

/** Loads the story with full classes into a database without a school; does nothing where the story is loaded already. */
export async function seedDemo(store: Store): Promise<void> {
  if ((await store.read(asSystem(), (tx) => tx.db.$count(tx.t.school, eq(tx.t.school.id, stBrigids)))) > 0) return
  await seedStory(store)
  await store.write(asSystem(), (tx) => insertByTable(tx, classmates))
}
