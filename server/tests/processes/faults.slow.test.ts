import { people, stBrigids } from '@markbook/shared/story/people'
import { eq, isNull } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import { contentsOf } from '../../store/replica/replica.fixtures.ts'
import { asSystem } from '../../store/tx.ts'
import { createDatabase } from '../../testing/database.ts'
import { times } from '../../testing/long.ts'
import { buildProgram, endPrograms } from '../../testing/program.ts'
import { bodyOf, gradeIds, type Marking, nextBulk, prepareMarking } from '../durability/marking.ts'
import { ask } from '../durability/teacher.ts'
import { after, Node, until } from './network.ts'

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
const rounds = times(6, 120)
const nodes: Node[] = []
let drop: (() => Promise<void>) | undefined

beforeAll(buildProgram)
afterAll(endPrograms)
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.remove()
  await endPrograms()
  await drop?.()
})

async function made(name: string, url?: string): Promise<Node> {
  const node = await Node.make(name, url)
  nodes.push(node)
  return node
}

/** A mark that was acknowledged: the remarks are its name. */
type Acknowledged = { name: string; grade: string; at: string }

/** Somebody who saves one small bulk after the other at a node that may be gone at any moment. */
function keepSaving(node: Node, marking: Marking, acknowledged: Acknowledged[]) {
  let going = true
  const ended = (async () => {
    while (going) {
      const bulk = nextBulk(marking, { size: 4 })
      const { port } = node
      const asked = port && ask({ port, method: 'POST', path: '/api/grades/bulk', cookie: marking.cookie, body: bodyOf(bulk) })
      const answer = asked ? await asked.catch(() => null) : null
      if (answer?.status === 200) for (const grade of gradeIds(bulk)) acknowledged.push({ name: bulk.name, grade, at: node.name })
      else if (answer) throw new Error(`${node.name} answered ${answer.status}: ${answer.text}`)
      await after(20)
    }
  })()
  return async () => {
    going = false
    await ended
  }
}

const within = (ms: number) => Math.random() * ms
const oneOf = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T

type Fault = (centre: Node, box: Node, laptop: Node) => Promise<void>
const faults: Record<string, Fault> = {
  cut: async (centre, box) => {
    const { line } = oneOf([centre, box])
    line.cut()
    await after(within(800))
    line.mend()
  },
  choke: async (centre, box) => {
    const { line } = oneOf([centre, box])
    line.choke()
    await after(within(800))
    line.mend()
  },
  truncate: async (centre, box) => {
    for (const { line } of [centre, box]) line.truncateNext(Math.ceil(within(400)))
    await after(200)
  },
  delay: async (centre, box) => {
    const { line } = oneOf([centre, box])
    line.delay(within(150))
    await after(within(800))
    line.delay(0)
  },
  kill: async (...all) => {
    const node = oneOf(all)
    await node.kill()
    await after(within(300))
    await node.start()
  },
}

/** What became of every name: standing, or written over by somebody who saw it, or kept. */
async function namesAt(node: Node) {
  return node.look((store) =>
    store.read(asSystem(), async (tx) => {
      const { grade, history, sync_conflict, sync_held, sync_refused } = tx.t
      const grades = await tx.db.select().from(grade).where(eq(grade.school_id, stBrigids))
      const entries = await tx.connection.db.select().from(history).where(eq(history.entity, 'grade'))
      const conflicts = await tx.db.select().from(sync_conflict).where(eq(sync_conflict.entity, 'grade'))
      const held = await tx.db.select().from(sync_held)
      const refused = await tx.db.select().from(sync_refused).where(isNull(sync_refused.peer_id))
      const kept = [
        ...conflicts.map(({ row_id, value }) => `${row_id} ${value?.['remarks']}`),
        ...refused.map(({ row_id, value }) => `${row_id} ${value?.['remarks']}`),
        ...held.map(({ row_id, state }) => `${row_id} ${JSON.parse(state).values.remarks}`),
      ]
      return {
        standing: new Set(grades.map(({ id, remarks }) => `${id} ${remarks}`)),
        covered: new Set(entries.map(({ row_id, changes }) => `${row_id} ${changes['remarks']?.before}`)),
        kept: new Set(kept),
      }
    }),
  )
}

const OF_THE_LAPTOP = ['grade', 'assessment', 'student', 'enrolment', 'sync_conflict'] as const

async function areSame(centre: Node, box: Node, laptop: Node): Promise<boolean> {
  const [a, b, c] = [await centre.look(contentsOf), await box.look(contentsOf), await laptop.look(contentsOf)]
  const ofLaptop = OF_THE_LAPTOP.every((table) => JSON.stringify(b[table]) === JSON.stringify(c[table]))
  return ofLaptop && JSON.stringify(a) === JSON.stringify(b)
}

test(`a centre, a school and a laptop, ${rounds} faults while marks are saved at all three: every mark is accounted for`, {
  timeout: 240_000 + rounds * 5_000,
}, async () => {
  const database = onPostgres ? await createDatabase(inject('postgresUrl')) : undefined
  drop = database?.drop
  const centre = await made('the centre', database?.url)
  const marking = await centre.prepare((store) => prepareMarking(store, { pupils: 30, assessments: 3 }))
  await centre.start()
  const box = await made('the school')
  await box.joinAndStart(centre, ['--school', 'St Brigid’s'])
  await box.copied()
  const laptop = await made('the laptop')
  await laptop.joinAndStart(box, ['--laptop', people.okafor.email], ['--laptop'])
  await laptop.copied()

  const acknowledged: Acknowledged[] = []
  const all = [centre, box, laptop]
  const stops = []
  for (const node of all) stops.push(keepSaving(node, { ...marking, cookie: await node.cookie() }, acknowledged))
  const happened: string[] = []
  const began = performance.now()
  // Each at least once, then at random.
  for (let round = 0; round < rounds; round += 1) {
    const name = round < 5 ? (Object.keys(faults)[round] as string) : oneOf([...Object.keys(faults), 'kill', 'kill'])
    happened.push(name)
    await faults[name]?.(centre, box, laptop)
    await after(within(400))
  }
  for (const stop of stops) await stop()
  const healed = performance.now()
  await until(() => areSame(centre, box, laptop), `meeting again after ${happened}`, 90_000)

  const found: Awaited<ReturnType<typeof namesAt>>[] = []
  for (const node of all) found.push(await namesAt(node))
  const [atCentre] = found
  const lost = acknowledged.filter(({ name, grade }) => {
    const key = `${grade} ${name}`
    return !atCentre?.standing.has(key) && !found.some(({ covered, kept }) => covered.has(key) || kept.has(key))
  })
  expect({ lost, happened: lost.length > 0 ? happened : [] }).toEqual({ lost: [], happened: [] })
  for (const node of all) expect(acknowledged.some(({ at }) => at === node.name)).toBe(true)
  const conflicts = atCentre?.kept.size ?? 0
  const seconds = (ms: number) => (ms / 1_000).toFixed(1)
  console.log(
    `${happened.length} faults in ${seconds(healed - began)} s: ${acknowledged.length} marks acknowledged at three servers, none lost, ${conflicts} kept as conflicts; all hold the same ${seconds(performance.now() - healed)} s after the last fault.`,
  )
  for (const node of all) expect(await node.stop()).toBe(0)
})
