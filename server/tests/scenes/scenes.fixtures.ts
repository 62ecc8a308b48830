import { people } from '@markbook/shared/story/people'
import { isNotNull, isNull } from 'drizzle-orm'
import { contentsOf } from '../../store/replica/replica.fixtures.ts'
import { asSystem } from '../../store/tx.ts'
import { type UnderParent, under } from '../../testing/nodes.ts'
import { type School, school } from '../../testing/school.ts'

/** A centre on the database of this run, with the school of the story, and that school's own server on SQLite, empty. */
export async function centreAndSchool(open: School[]): Promise<{ centre: School; box: School; link: UnderParent }> {
  const centre = await school({ seed: 'centre' })
  const box = await school({ seed: 'box', story: false, database: 'sqlite' })
  open.push(centre, box)
  const link = await under(centre, box)
  await link.round()
  return { centre, box, link }
}

/** A laptop of somebody, under a node, with a first copy. */
export async function laptopOf(
  open: School[],
  parent: School,
  user: string,
  seed = 'laptop',
): Promise<{ laptop: School; link: UnderParent }> {
  const laptop = await school({ seed, story: false, database: 'sqlite' })
  open.push(laptop)
  const link = await under(parent, laptop, { user })
  await link.round()
  return { laptop, link }
}

/** A server with the school of the story, on the database of this run, and Ada's laptop under it. */
export async function serverAndLaptop(open: School[]): Promise<{ server: School; laptop: School; link: UnderParent }> {
  const server = await school({ seed: 'server' })
  open.push(server)
  return { server, ...(await laptopOf(open, server, people.ada.id)) }
}

export async function settle(...links: readonly UnderParent[]): Promise<void> {
  for (let time = 0; time < 3; time += 1) for (const link of links) await link.round()
}

/** Both hold the same rows of the school. */
export async function same(a: School, b: School): Promise<[Record<string, string[]>, Record<string, string[]>]> {
  return [await contentsOf(a.services.store), await contentsOf(b.services.store)]
}

export const conflictsAt = (node: School) => node.rows('sync_conflict')
/** What a node's parent did not take of it. */
export const refusedAt = (node: School) =>
  node.services.store.read(asSystem(), (tx) => tx.connection.db.select().from(tx.t.sync_refused).where(isNull(tx.t.sync_refused.peer_id)))
/** What a node did not take of those below it. */
export const refusedBelow = (node: School) =>
  node.services.store.read(asSystem(), (tx) =>
    tx.connection.db.select().from(tx.t.sync_refused).where(isNotNull(tx.t.sync_refused.peer_id)),
  )
