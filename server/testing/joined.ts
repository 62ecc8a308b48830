import { people } from '@markbook/shared/story/people'
import type { DatabaseName } from './database.ts'
import { lineBetween, type UnderParent, under } from './nodes.ts'
import { type School, type SchoolOptions, school } from './school.ts'
import type { SchoolImage } from './story-template.ts'

// A first copy takes longer than most tests, so a worker makes each of these arrangements once, and tests get copies of it.

type Images<K extends string> = Record<K, SchoolImage>
const arrangements = new Map<string, Promise<Images<string>>>()

/** Schools with these options, in the state that `join` leaves; `name` identifies the arrangement. */
async function arranged<K extends string>(
  name: string,
  options: Record<K, SchoolOptions>,
  join: (nodes: Record<K, School>) => Promise<unknown>,
): Promise<Record<K, School>> {
  const made = arrangements.get(name) ?? imagesOf(options, join)
  arrangements.set(name, made)
  const images = (await made) as Images<K>
  return ofEach(options, (own, key) => school({ ...own, from: images[key] }))
}

async function imagesOf<K extends string>(options: Record<K, SchoolOptions>, join: (nodes: Record<K, School>) => Promise<unknown>) {
  const nodes = await ofEach(options, (own) => school(own))
  await join(nodes)
  return ofEach(nodes, (node) => node.image())
}

async function ofEach<K extends string, A, B>(all: Record<K, A>, each: (one: A, key: K) => Promise<B>): Promise<Record<K, B>> {
  const made: [string, B][] = []
  for (const key of Object.keys(all) as K[]) made.push([key, await each(all[key], key)])
  return Object.fromEntries(made) as Record<K, B>
}

const onSqlite = (seed: string): SchoolOptions => ({ seed, story: false, database: 'sqlite' })
type Joined = { centre: School; box: School; link: UnderParent }

/**
 * A centre on the database of this run, with the school of the story, and that school's own server after a first copy. Opened schools are
 * added to `open`.
 */
export async function centreAndSchool(open: School[] = [], boxOn: DatabaseName = 'sqlite'): Promise<Joined> {
  const options = { centre: { seed: 'centre' }, box: { ...onSqlite('box'), database: boxOn } }
  const { centre, box } = await arranged(`a school on ${boxOn}`, options, async (nodes) => (await under(nodes.centre, nodes.box)).round())
  open.push(centre, box)
  return { centre, box, link: lineBetween(centre, box) }
}

/** The same, and under the school a person's laptop after a first copy; the centre has not heard of it. */
export async function schoolAndLaptop(
  open: School[],
  user: string = people.ada.id,
): Promise<Joined & { laptop: School; laptopLink: UnderParent }> {
  const options = { centre: { seed: 'centre' }, box: onSqlite('box'), laptop: onSqlite('laptop') }
  const { centre, box, laptop } = await arranged(`a laptop of ${user}`, options, async (nodes) => {
    await (await under(nodes.centre, nodes.box)).round()
    await (await under(nodes.box, nodes.laptop, { user })).round()
  })
  open.push(centre, box, laptop)
  return { centre, box, laptop, link: lineBetween(centre, box), laptopLink: lineBetween(box, laptop) }
}

/** A server with the school of the story, on the database of this run, and Ada's laptop under it after a first copy. */
export async function serverAndLaptop(open: School[]): Promise<{ server: School; laptop: School; link: UnderParent }> {
  const options = { server: { seed: 'server' }, laptop: onSqlite('laptop') }
  const { server, laptop } = await arranged('a laptop under a server', options, async (nodes) =>
    (await under(nodes.server, nodes.laptop, { user: people.ada.id })).round(),
  )
  open.push(server, laptop)
  return { server, laptop, link: lineBetween(server, laptop) }
}

/** A person's laptop under a node in its present state, after a first copy. `secret`: its own, where it must not know its parent's keys. */
export async function laptopOf(
  open: School[],
  parent: School,
  user: string,
  seed = 'laptop',
  secret?: string,
): Promise<{ laptop: School; link: UnderParent }> {
  const laptop = await school({ ...onSqlite(seed), ...(secret && { env: { SESSION_SECRET: secret } }) })
  open.push(laptop)
  const link = await under(parent, laptop, { user })
  await link.round()
  return { laptop, link }
}
