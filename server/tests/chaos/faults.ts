import { join } from 'node:path'
import { listBackups } from '../../store/backup/manifest.ts'
import { endConnections } from '../../testing/database.ts'
import { after, type Node, until } from '../processes/network.ts'
import type { Chance } from '../world/chance.ts'
import type { Line } from './centre.ts'
import type { Installation } from './installation.ts'
import type { Person } from './person.ts'
import type { Writer } from './writer.ts'

type FaultContext = {
  at: Installation
  writers: readonly Writer[]
  /** The head of each school, at the school. */
  heads: readonly [Person, Person]
  /** Of each school, the folder of yesterday's backup. */
  backups: readonly [string, string]
  chance: Chance
  /** What happens, in words. */
  say(what: string): void
}
type Fault = (context: FaultContext) => Promise<void>

const SECOND = 1_000
const MINUTE = 60_000
const seconds = (ms: number) => `${(ms / SECOND).toFixed(1)} s`
const nameOf = ({ at }: FaultContext, node: Node) =>
  node === at.instances[0] ? 'the first instance of the centre' : node === at.instances[1] ? 'the second instance of the centre' : node.name

async function killed(context: FaultContext, node: Node, why = ''): Promise<void> {
  const away = context.chance.below(1_500)
  context.say(`${nameOf(context, node)} is killed${why} and started after ${seconds(away)}`)
  await node.kill()
  await after(away)
  await node.start()
}

/** One after the other: what ends processes, connections and days. */
const breaks: Readonly<Record<string, Fault>> = {
  kill: (context) => killed(context, context.chance.pick(context.at.nodes)),

  killInPush: async (context) => {
    const { from, line, name } = context.chance.pick(context.at.lines.filter(({ from: node }) => context.at.schools.includes(node)))
    line.cut()
    await after(700)
    const pushed = line.nextSent(700)
    line.mend()
    const port = await Promise.race([pushed, after(8 * SECOND)])
    const node = context.at.instances.find((instance) => instance.port === port)
    if (node) await killed(context, node, ` while ${from.name} sends to it,`)
    else context.say(`nothing was sent ${name} for 8 s: nobody is killed`)
  },

  /** Its people look on while it gets back what it lost: only then do they know over what they write. */
  restore: async (context) => {
    const which = context.chance.below(2) as 0 | 1
    const [node, head] = [context.at.schools[which], context.heads[which]]
    const here = context.writers.filter(({ person }) => person.seat.console === node)
    await Promise.all(context.writers.map((writer) => writer.pause()))
    await everythingSent(node, head)
    for (const writer of context.writers) if (!here.includes(writer)) writer.resume()
    context.say(`${node.name} is killed, and restored from yesterday's backup`)
    await node.kill()
    await node.done('restore', context.backups[which], '--yes')
    await node.start()
    await Promise.all(here.map((writer) => writer.seesOwn()))
    context.say(`${node.name} has its lost day again`)
    for (const writer of here) writer.resume()
  },

  pooler: async ({ at, say, chance }) => {
    if (!at.bouncer) return
    say('PgBouncer is killed and started again')
    await at.bouncer.restart()
    await after(chance.below(500))
  },

  connections: async ({ at, say, chance }) => {
    say('every connection of the database is ended')
    await endConnections(at.database)
    await after(chance.below(500))
  },
}
const OFTEN = { kill: 5, killInPush: 3, restore: 1, pooler: 1, connections: 2 }

const onLine =
  (what: string, begin: (line: Line['line'], chance: Chance) => void, most: number): Fault =>
  async ({ at, chance, say }) => {
    const { name, line } = chance.pick(at.lines)
    const lasting = 200 + chance.below(most)
    say(`the line ${name} ${what} for ${seconds(lasting)}`)
    begin(line, chance)
    await after(lasting)
    line.delay(0)
    line.mend()
  }

/** Beside those: lines, and clocks. */
const disturbances: Readonly<Record<string, Fault>> = {
  cut: onLine('is cut', (line) => line.cut(), 3_000),
  halfOpen: onLine('is half open', (line) => line.choke(), 4_000),
  slow: onLine('is slow', (line, chance) => line.delay(50 + chance.below(400)), 4_000),
  broken: onLine('breaks off in the middle of answers', (line, chance) => line.truncateNext(1 + chance.below(600)), 800),
  clock: async (context) => {
    const node = context.chance.pick(context.at.nodes)
    const minutes = context.chance.below(361) - 180
    context.say(`the clock of ${nameOf(context, node)} jumps to ${Math.abs(minutes)} minutes ${minutes < 0 ? 'behind' : 'ahead'}`)
    context.at.setClock(node, minutes * MINUTE)
    await after(500)
  },
}
const DISTURBED = { cut: 3, halfOpen: 3, slow: 2, broken: 2, clock: 2 }

function shuffled(names: readonly string[], chance: Chance): string[] {
  const left = [...names]
  return names.map(() => left.splice(chance.below(left.length), 1)[0] as string)
}

/** For how long there are faults; `isBroken`: one of them did not end as it should, and no more begin. */
type UpstreamStatus = { until: number; isBroken: boolean }

/** Each of these once, then by weight, until the time is over. Answers how many there were. */
async function happening(
  context: FaultContext,
  from: Readonly<Record<string, Fault>>,
  weights: Record<string, number>,
  course: UpstreamStatus,
): Promise<number> {
  const first = shuffled(Object.keys(from), context.chance)
  let count = 0
  try {
    while (!course.isBroken && (first.length > 0 || performance.now() < course.until)) {
      await from[first.shift() ?? context.chance.weighted(weights)]?.(context)
      count += 1
      await after(context.chance.below(900))
    }
  } catch (error) {
    course.isBroken = true
    throw error
  }
  return count
}

/** Both at once for so many ms, and longer where some kind has not been; then every clock right. `chances`: one for each. */
export async function misfortunes(context: Omit<FaultContext, 'chance'>, chances: readonly [Chance, Chance], ms: number): Promise<number> {
  const course = { until: performance.now() + ms, isBroken: false }
  const [one, other] = chances
  const ended = await Promise.allSettled([
    happening({ ...context, chance: one }, breaks, OFTEN, course),
    happening({ ...context, chance: other }, disturbances, DISTURBED, course),
  ])
  for (const node of context.at.nodes) context.at.setClock(node, 0)
  return ended.reduce((sum, each) => {
    if (each.status === 'rejected') throw each.reason
    return sum + each.value
  }, 0)
}

/**
 * The backup from which a school is restored later, made in the quiet of a night: everything is at the centre. (What a backup holds that
 * was not sent yet comes back as a second write of its own, beside what the centre knows of it.)
 */
export async function yesterday(node: Node, head: Person): Promise<string> {
  await everythingSent(node, head)
  await node.done('backup')
  const [made] = listBackups(join(node.folder, 'backups'))
  if (made === undefined) throw new Error(`${node.name} made no backup`)
  return made.path
}

export async function everythingSent(node: Node, head: Person): Promise<void> {
  const isSent = async () => (await head.status()).waiting === 0
  await until(() => isSent().catch(() => false), `everything of ${node.name} at the centre`, 90 * SECOND)
}
