import { insertByTable } from '../../store/rows-by-table.ts'
import type { Store } from '../../store/store.ts'
import { asSystem } from '../../store/tx.ts'
import { seedStory } from '../seed/seed.ts'
import { classmates } from './classmates.ts'

/** The story with full classes, where there is no school yet; content where it is there already. */
export async function seedDemo(store: Store): Promise<void> {
  if (!(await seedStory(store, { again: true }))) return
  await store.write(asSystem(), (tx) => insertByTable(tx, classmates))
}
