import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { invite } from '../../peers/enrolment.ts'
import { joinParent } from '../../peers/join.ts'
import { asSystem } from '../../store/tx.ts'
import { type TestClock, testClock } from '../../testing/clock.ts'
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
export const roles: readonly Role[] = [
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
export const newFolder = (): string => mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'markbook-world-'))

/** Opens everybody, founds the schools at the centre, and copies them down once. */
export async function raise(folder: string, clock: TestClock, postgres?: string): Promise<Map<string, WorldNode>> {
  const nodes = new Map<string, WorldNode>()
  for (const { name, kind } of roles) {
    const node = new WorldNode({
      name,
      kind,
      folder: join(folder, name),
      clock,
      seed: 'stage',
      ...(postgres !== undefined && { postgres }),
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

let template: Promise<string> | null = null

async function makeTemplate(): Promise<string> {
  const folder = newFolder()
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const nodes = await raise(folder, testClock(BEGINNING))
  for (const node of nodes.values()) await node.close()
  return folder
}

/** The raised stage, made once a process and copied for every world. Answers the folder of this world and its nodes, which are closed. */
export async function stageFor(
  names: readonly string[],
  clock: TestClock,
  seed: string,
): Promise<{ folder: string; nodes: Map<string, WorldNode> }> {
  template ??= makeTemplate()
  const from = await template
  const folder = newFolder()
  const nodes = new Map<string, WorldNode>()
  for (const name of names) {
    cpSync(join(from, name), join(folder, name), { recursive: true })
    nodes.set(name, new WorldNode({ name, kind: roleOf(name).kind, folder: join(folder, name), clock, seed }))
  }
  return { folder, nodes }
}
