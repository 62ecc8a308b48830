import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { invite } from '../../replication/identity/enrolment.ts'
import { joinParent } from '../../replication/upstream/join.ts'
import { asSystem } from '../../store/tx.ts'
import { type CentralDisk, centralDiskLike, newCentralDisk } from '../../testing/central-disk.ts'
import { type TestClock, testClock } from '../../testing/clock.ts'
import { memoryFolder } from '../../testing/memory-folder.ts'
import { chanceOf } from './chance.ts'
import { found, founded } from './founding.ts'
import { carrierOf, newWay } from './line.ts'
import { type Kind, WorldNode } from './node.ts'
import { makeRound, parentAddress } from './round.ts'

/** Who is under whom: a laptop is a user's, and may know the centre as well. `school`: its number. */
export type Role = { name: string; kind: Kind; school: number; parents: readonly string[]; user: string | null }

const CENTRE: Role = { name: 'centre', kind: 'centre', school: 0, parents: [], user: null }
const school = (number: number): Role => ({ name: `school${number}`, kind: 'school', school: number, parents: ['centre'], user: null })
/** Everybody who may take part in a world. */
const roles: readonly Role[] = [
  CENTRE,
  school(1),
  school(2),
  school(3),
  { name: 'laptop1', kind: 'laptop', school: 1, parents: ['school1', 'centre'], user: founded(1).teachers[0] ?? null },
  { name: 'laptop2', kind: 'laptop', school: 1, parents: ['school1'], user: founded(1).admins[0] ?? null },
  { name: 'laptop3', kind: 'laptop', school: 2, parents: ['school2'], user: founded(2).teachers[1] ?? null },
]
export const roleOf = (name: string): Role => roles.find((role) => role.name === name) as Role

export const BEGINNING = '2026-01-12T08:00:00.000Z'

/** A folder in memory where there is one: what is proved here is no disk. */
const newFolder = (): string => memoryFolder('markbook-world-')

/** Opens everybody, founds the schools at the centre, and copies them down once. `disk`: the centre's, where it is on Postgres. */
async function raise(folder: string, clock: TestClock, disk: CentralDisk | null): Promise<Map<string, WorldNode>> {
  const nodes = new Map<string, WorldNode>()
  for (const { name, kind } of roles) {
    const node = new WorldNode({
      name,
      kind,
      folder: join(folder, name),
      clock,
      seed: 'stage',
      ...(disk && kind === 'centre' && { disk }),
    })
    mkdirSync(node.folder, { recursive: true })
    await node.open()
    nodes.set(name, node)
  }
  const centre = nodes.get('centre') as WorldNode
  for (const number of [1, 2, 3]) await centre.store.write(asSystem(), (tx) => found(tx, number))
  for (const role of roles) for (const parent of role.parents) await enrol(nodes, role, nodes.get(parent) as WorldNode)
  return nodes
}

async function enrol(nodes: ReadonlyMap<string, WorldNode>, role: Role, parent: WorldNode): Promise<void> {
  const child = nodes.get(role.name) as WorldNode
  const { kind, user } = role
  if (kind === 'centre') return
  const carry = plainCarrier(child, parent)
  await joinUnder(child, parent, { kind, school: founded(role.school).id, user })
  if ((await makeRound(child, parent, carry)) !== 'whole') throw new Error(`${role.name} could not copy from ${parent.name}`)
}

export async function joinUnder(
  child: WorldNode,
  parent: WorldNode,
  { kind, school, user }: { kind: 'school' | 'laptop'; school: string; user: string | null },
) {
  const { code } = await parent.store.write(asSystem(), (tx) => invite(tx, { kind, schoolId: school, userId: user, by: null }))
  await joinParent(child.services, { url: parentAddress(parent).id, code, kind }, plainCarrier(child, parent))
}

/** A line that does what it should. */
export const plainCarrier = (child: WorldNode, parent: WorldNode) =>
  carrierOf({ child, parent, way: newWay(), fault: () => null, chance: chanceOf(0), saw: () => {} })

/** `central`: the name of the centre's database, where it is on Postgres. */
type Template = { folder: string; central: string | null }
const templates = new Map<string, Promise<Template>>()

async function makeTemplate(cluster: string): Promise<Template> {
  const folder = newFolder()
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const disk = cluster ? await newCentralDisk(cluster) : null
  const nodes = await raise(folder, testClock(BEGINNING), disk)
  for (const node of nodes.values()) await node.close()
  return { folder, central: disk && (await disk.copy()) }
}

export type Stage = { folder: string; nodes: Map<string, WorldNode>; disk: CentralDisk | null }

/**
 * The raised stage, made once a process and copied for every world. Answers the folder of this world and its nodes, which are closed.
 * `cluster`: the Postgres on which the centre is, or none.
 */
export async function stageFor(names: readonly string[], clock: TestClock, seed: string, cluster = ''): Promise<Stage> {
  const made = templates.get(cluster) ?? makeTemplate(cluster)
  templates.set(cluster, made)
  const from = await made
  const folder = newFolder()
  const disk = from.central === null ? null : await centralDiskLike(cluster, from.central)
  const nodes = new Map<string, WorldNode>()
  for (const name of names) {
    const { kind } = roleOf(name)
    cpSync(join(from.folder, name), join(folder, name), { recursive: true })
    const plan = { name, kind, folder: join(folder, name), clock, seed }
    nodes.set(name, new WorldNode({ ...plan, ...(disk && kind === 'centre' && { disk }) }))
  }
  return { folder, nodes, disk }
}
