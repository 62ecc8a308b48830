import { COMMONS } from '@markbook/shared/ids'
import { stBrigids } from '@markbook/shared/story/people'
import { descriptions, type Replicated, type Tables } from '@markbook/shared/tables/tables'
import { canonical } from '@markbook/sync/merge/state'
import type { Store } from '../store.ts'
import { asSystem } from '../tx.ts'
import { applyStates } from './apply.ts'
import { type CopyPlace, readCopy, readFeed, readPeople, withPeople } from './feed.ts'
import type { Answer, Incoming } from './page.ts'
import { rowsWhere } from './states.ts'

/** Everything of the school from one store into another, table by table, as a first copy does. */
export async function copySchool(from: Store, to: Store, school = stBrigids, limit = 50): Promise<void> {
  let place: CopyPlace | null = null
  do {
    const at: CopyPlace | null = place
    const page = await from.read(asSystem(), async (tx) => {
      const { rows, next } = await readCopy(tx, school, at, limit)
      return { rows: await withPeople(tx, rows, { secrets: true }), next }
    })
    await to.write(asSystem(), (tx) => applyStates(tx, school, page.rows, { source: from.nodeId }))
    place = page.next
  } while (place)
}

export type Line = { carry(): Promise<Answer[]> }

/** A line one way: carries what is new since it last did, in pages of `limit`. */
export function lineBetween(from: Store, to: Store, { school = stBrigids, limit = 20 } = {}): Line {
  let [after, people] = [0, 0]
  const page = (rows: readonly Incoming[]) => to.write(asSystem(), (tx) => applyStates(tx, school, rows, { source: from.nodeId }))
  return {
    carry: async () => {
      const answers: Answer[] = []
      for (let isLast = false; !isLast; ) {
        const news = await from.read(asSystem(), async (tx) => {
          const own = await readFeed(tx, school, { after, limit, notFrom: [to.nodeId] })
          const of = await readPeople(tx, school, { after: people, limit, secrets: true })
          return { ...own, people: of, rows: [...of.rows, ...(await withPeople(tx, own.rows, { secrets: true }))] }
        })
        answers.push(...(await page(news.rows)))
        after = news.to
        people = news.people.to
        isLast = news.isLast && news.people.isLast
      }
      return answers
    },
  }
}

/** What stands in every replicated table of a school, and its people, as text; times of change are not part of it. */
export async function contentsOf(store: Store, school = stBrigids): Promise<Record<string, string[]>> {
  return store.read(asSystem(), async (tx) => {
    const contents: Record<string, string[]> = {}
    for (const table of Object.keys(descriptions) as (Replicated & keyof Tables)[]) {
      const { scope, audit = [] } = descriptions[table]
      const rows = scope === 'commons' ? [] : await rowsWhere(tx, table, scope === 'self' ? COMMONS : school)
      const own = scope === 'self' ? rows.filter(({ id }) => id === school) : rows
      contents[table] = own
        .map((row) => canonical(Object.fromEntries(Object.entries(row).filter(([name]) => !audit.includes(name)))))
        .sort()
    }
    return contents
  })
}
