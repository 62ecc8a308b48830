import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { people } from '@markbook/shared/story/people'
import { addressesAt, thisMachine } from '../../network/addresses.ts'
import { type BadLine, badLineTo } from '../../testing/bad-line.ts'
import { createDatabase } from '../../testing/database.ts'
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../../testing/pgbouncer.ts'
import { buildProgram, endPrograms } from '../../testing/program.ts'
import { Node } from '../processes/network.ts'
import { Person, type Seat } from './person.ts'

/** A line of replication, by which one node reaches its parent. */
export type Line = { name: string; from: Node; line: BadLine }

/** A ministry with two instances behind PgBouncer, two schools of which one speaks https, and a laptop at each; every node a process. */
export type Installation = {
  instances: readonly [Node, Node]
  schools: readonly [Node, Node]
  laptops: readonly [Node, Node]
  nodes: readonly Node[]
  lines: readonly Line[]
  seats: { centre: Seat; instances: readonly [Seat, Seat]; schools: readonly [Seat, Seat]; laptops: readonly [Seat, Seat] }
  /** Null where PgBouncer cannot be had. */
  bouncer: PgBouncer | null
  /** The database without PgBouncer. */
  database: string
  /** Sets the clock of a node's machine so many ms ahead. */
  setClock(node: Node, ahead: number): void
  remove(): Promise<void>
}

const SHIFTED = pathToFileURL(join(import.meta.dirname, '..', '..', 'testing', 'shifted-clock.mjs')).href
const clockOf = (node: Node) => join(node.folder, 'test-clock')

/** Starts them in the order in which somebody would; `cluster`: the address of a Postgres server. `fill` makes what is at the centre before anybody joins. */
export async function install(
  cluster: string,
  fill: (at: Pick<Installation['seats'], 'centre'>) => Promise<void>,
  tell: (doing: string) => void,
): Promise<Installation> {
  const closing: (() => Promise<unknown>)[] = []
  const remove = async () => {
    for (const close of closing.splice(0).reverse()) await close()
    await endPrograms()
  }
  try {
    return { ...(await begin(cluster, fill, tell, closing)), remove }
  } catch (error) {
    await remove()
    throw error
  }
}

async function begin(
  cluster: string,
  fill: (at: Pick<Installation['seats'], 'centre'>) => Promise<void>,
  tell: (doing: string) => void,
  closing: (() => Promise<unknown>)[],
): Promise<Omit<Installation, 'remove'>> {
  tell('building the program')
  buildProgram()
  const database = await createDatabase(cluster, 'template0')
  closing.push(database.drop)
  const bouncer = hasPgBouncer ? await startPgBouncer(cluster) : null
  if (bouncer) closing.push(bouncer.stop)
  const pooled = bouncer?.urlOf(new URL(database.url).pathname.slice(1)) ?? database.url
  const [lan = '127.0.0.1'] = addressesAt('0.0.0.0', thisMachine())

  const made = async (name: string, ...where: [url?: string, at?: { scheme: 'https'; address: string }]) => {
    const node = await Node.make(name, ...where)
    closing.push(() => node.remove())
    node.settings = { BACKUPS: 'false', NODE_OPTIONS: `--import=${SHIFTED}`, TEST_CLOCK: clockOf(node) }
    return node
  }
  const lines: Line[] = []
  const lineTo = async (name: string, from: Node, target: () => number, at?: Parameters<typeof badLineTo>[1]) => {
    const line = await badLineTo(target, at)
    closing.push(line.close)
    lines.push({ name, from, line })
    return line
  }

  tell(`starting a centre of two instances${bouncer ? ' behind PgBouncer' : ''}`)
  const instances = [await made('The ministry', pooled), await made('The ministry', pooled)] as const
  const [first, second] = instances
  second.settings['BACKUP_DIR'] = join(first.folder, 'backups')
  await first.done('seed', 'story')
  await Promise.all([first.start(), second.start()])
  const balanced = roundRobin(instances)
  const door = await badLineTo(balanced)
  closing.push(door.close)
  const centre: Seat = { name: 'the centre', console: first, port: () => Number(new URL(door.url).port) }
  await fill({ centre })

  tell('joining two schools and two laptops')
  const school = await made('The school')
  const hilltop = await made('Hilltop', undefined, { scheme: 'https', address: lan })
  hilltop.settings['LAN'] = 'true'
  await school.joinAndStart(first, ['--school', 'St Brigid’s'], [], await lineTo('between the school and the centre', school, balanced))
  await hilltop.joinAndStart(first, ['--school', 'Hilltop'], [], await lineTo('between Hilltop and the centre', hilltop, balanced))
  const authority = join(hilltop.folder, 'authority.pem')
  await hilltop.done('cert', 'export', '--to', authority)
  const at = (name: string, console: Node, ca?: string): Seat => ({ name, console, port: () => console.port, ...(ca && { ca }) })
  const secured = at('Hilltop', hilltop, readFileSync(authority, 'utf8'))
  await new Person('okafor', at('the school', school)).copied()
  await new Person('marker', secured).copied()
  const [adas, teachers] = [await made('Ada’s laptop'), await made('Hilltop’s laptop')]
  const toSchool = await lineTo('between Ada’s laptop and the school', adas, () => school.port ?? 9)
  await adas.joinAndStart(school, ['--laptop', people.ada.email], ['--laptop'], toSchool)
  const toHilltop = await lineTo('between Hilltop’s laptop and Hilltop', teachers, () => hilltop.port ?? 9, {
    scheme: 'https',
    address: lan,
  })
  await teachers.joinAndStart(hilltop, ['--laptop', people.markerTeacher.email], ['--laptop', '--authority', authority], toHilltop)

  const seats: Installation['seats'] = {
    centre,
    instances: [at('the first instance', first), at('the second instance', second)],
    schools: [at('the school', school), secured],
    laptops: [at('Ada’s laptop', adas), at('Hilltop’s laptop', teachers)],
  }
  return {
    instances,
    schools: [school, hilltop],
    laptops: [adas, teachers],
    nodes: [first, second, school, hilltop, adas, teachers],
    lines,
    seats,
    bouncer,
    database: database.url,
    setClock: (node, ahead) => writeFileSync(clockOf(node), String(ahead)),
  }
}

/** The instance whose turn it is, of those that run. */
function roundRobin(instances: readonly Node[]): () => number {
  let turn = 0
  return () => {
    const ports = instances.flatMap(({ port }) => port ?? [])
    turn += 1
    return ports[turn % ports.length] ?? 9
  }
}
