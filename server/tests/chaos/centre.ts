import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type BadLine, badLineTo } from '../../testing/bad-line.ts'
import { createDatabase } from '../../testing/database.ts'
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../../testing/pgbouncer.ts'
import { buildProgram, endPrograms } from '../../testing/program.ts'
import { Node } from '../processes/network.ts'
import type { Seat } from './person.ts'

/** A line of replication, by which one node reaches its parent. */
export type Line = { name: string; from: Node; line: BadLine }

/** A ministry with two instances behind a round-robin proxy and PgBouncer, and what schools and laptops are added with; every node a process. */
export type Centre = {
  instances: readonly [Node, Node]
  /** By the proxy, and past it. */
  seat: Seat
  seats: readonly [Seat, Seat]
  /** Null where PgBouncer cannot be had. */
  bouncer: PgBouncer | null
  /** The database without PgBouncer. */
  database: string
  /** The port of the instance whose turn it is, of those that run. */
  balanced: () => number
  /** A computer on which nothing runs yet. */
  node(name: string, at?: { scheme: 'https'; address: string }): Promise<Node>
  lineTo(name: string, from: Node, target: () => number, at?: Parameters<typeof badLineTo>[1]): Promise<BadLine>
  lines: readonly Line[]
  /** Sets the clock of a node's machine so many ms ahead. */
  setClock(node: Node, ahead: number): void
  /** Ends and removes everything. */
  remove(): Promise<void>
}

const SHIFTED = pathToFileURL(join(import.meta.dirname, '..', '..', 'testing', 'shifted-clock.mjs')).href
const clockOf = (node: Node) => join(node.folder, 'test-clock')

/** With the schools of the story. `cluster`: the address of a Postgres server. */
export async function startCentre(cluster: string, tell: (doing: string) => void): Promise<Centre> {
  const closing: (() => Promise<unknown>)[] = []
  const remove = async () => {
    for (const close of closing.splice(0).reverse()) await close()
    await endPrograms()
  }
  try {
    return { ...(await start(cluster, tell, closing)), remove }
  } catch (error) {
    await remove()
    throw error
  }
}

async function start(cluster: string, tell: (doing: string) => void, closing: (() => Promise<unknown>)[]): Promise<Omit<Centre, 'remove'>> {
  tell('building the program')
  buildProgram()
  const database = await createDatabase(cluster, 'template0')
  closing.push(database.drop)
  const bouncer = hasPgBouncer ? await startPgBouncer(cluster) : null
  if (bouncer) closing.push(bouncer.stop)
  const pooled = bouncer?.urlOf(new URL(database.url).pathname.slice(1)) ?? database.url

  const made = async (name: string, url?: string, at?: { scheme: 'https'; address: string }) => {
    const node = await Node.make(name, url, at)
    closing.push(() => node.remove())
    node.settings = { BACKUPS: 'false', OPEN_FOUNDING: 'true', NODE_OPTIONS: `--import=${SHIFTED}`, TEST_CLOCK: clockOf(node) }
    return node
  }
  const lines: Line[] = []

  tell(`starting a centre of two instances${bouncer ? ' behind PgBouncer' : ''}`)
  const instances = [await made('The ministry', pooled), await made('The ministry', pooled)] as const
  const [first, second] = instances
  second.settings['BACKUP_DIR'] = join(first.folder, 'backups')
  // Nobody uploads anything here.
  for (const instance of instances) instance.settings['SHARED_FILES'] = 'true'
  await first.done('seed', 'story')
  await Promise.all([first.start(), second.start()])
  const balanced = roundRobin(instances)
  const door = await badLineTo(balanced)
  closing.push(door.close)
  return {
    instances,
    seat: { name: 'the centre', console: first, port: () => Number(new URL(door.url).port) },
    seats: [seatAt('the first instance', first), seatAt('the second instance', second)],
    bouncer,
    database: database.url,
    balanced,
    node: (name, at) => made(name, undefined, at),
    lineTo: async (name, from, target, at) => {
      const line = await badLineTo(target, at)
      closing.push(line.close)
      lines.push({ name, from, line })
      return line
    },
    lines,
    setClock: (node, ahead) => writeFileSync(clockOf(node), String(ahead)),
  }
}

/** In front of the computer itself; `ca`: its authority where it speaks https. */
export const seatAt = (name: string, console: Node, ca?: string): Seat => ({ name, console, port: () => console.port, ...(ca && { ca }) })

function roundRobin(instances: readonly Node[]): () => number {
  let turn = 0
  return () => {
    const ports = instances.flatMap(({ port }) => port ?? [])
    turn += 1
    return ports[turn % ports.length] ?? 9
  }
}
