import { story } from '@markbook/shared/story/story'
import type { Replicated } from '@markbook/shared/tables/tables'
import type { Store } from '../store/store.ts'
import { asSystem } from '../store/tx.ts'

/** Puts the story's rows into an empty database, through the write door like any other write. */
export const loadStory = (store: Store): Promise<void> =>
  store.write(asSystem(), async (tx) => {
    for (const [table, rows] of Object.entries(story)) await tx.insert(table as Replicated, rows as never)
  })
