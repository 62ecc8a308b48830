import { randomBytes } from 'node:crypto'
import { openSchoolStore, type Store } from '@markbook/server/store/store'
import { asUser } from '@markbook/server/store/tx'
import { systemClock } from '@markbook/shared/clock'
import { idSource, inPortions } from '@markbook/shared/ids'
import type { Row } from '@markbook/shared/tables/tables'
import { and, eq } from 'drizzle-orm'
import { openDatabase } from '../controls/bare.ts'
import { benchSchool, type Marked } from '../school.ts'

type Grade = Row<'grade'>
/** One side of a pair: forty marks written so many times. */
export type Spent = { cpuMicros: number; ms: number }
export type Pair = { ours: Spent; control: Spent }

const TIMES = 150
const [oursFolder = '', plainFolder = ''] = process.argv.slice(2)
const school = benchSchool('year')
const { assessments } = school.markedNow[0] as Marked
const assessmentOf = (at: number) => (assessments[at % assessments.length] as { id: string }).id
let round = 0
const scoreAt = (at: number, seat: number) => ((round * TIMES + at) % 197) / 2 + (seat % 3) / 4

async function spent(work: () => Promise<void>): Promise<Spent> {
  const [cpu, started] = [process.cpuUsage(), performance.now()]
  await work()
  const { user, system } = process.cpuUsage(cpu)
  return { cpuMicros: (user + system) / TIMES, ms: (performance.now() - started) / TIMES }
}

const gradesOf = (store: Store, assessment: string) =>
  store.read(asUser(school.head.id), (tx) =>
    tx.db
      .select()
      .from(tx.t.grade)
      .where(and(eq(tx.t.grade.school_id, school.id), eq(tx.t.grade.assessment_id, assessment))),
  )

/** Through the door: versions, history, commit. The rows are at hand, as they are for a handler that has checked them. */
async function throughTheDoor(store: Store, held: Map<string, Grade[]>): Promise<void> {
  for (let at = 0; at < TIMES; at += 1) {
    const id = assessmentOf(at)
    const changes = (held.get(id) ?? []).map((before, seat) => ({ before, patch: { score: scoreAt(at, seat) } }))
    held.set(id, await store.write(asUser(school.head.id), (tx) => tx.update('grade', changes)))
  }
}

/** The same forty rows by upsert, in a transaction and nothing else. */
function plainly(folder: string) {
  const database = openDatabase(folder)
  const names = database.prepare("select name from pragma_table_info('grade')").pluck().all() as (keyof Grade)[]
  const rest = names.filter((name) => name !== 'id' && name !== 'school_id').map((name) => `${name} = excluded.${name}`)
  const upsert = database.prepare(
    `insert into grade (${names}) values (${names.map(() => '?')}) on conflict (school_id, id) do update set ${rest}`,
  )
  const write = database.transaction((rows: Grade[]) => {
    for (const row of rows) upsert.run(names.map((name) => (typeof row[name] === 'boolean' ? Number(row[name]) : row[name])))
  })
  return async (held: Map<string, Grade[]>) => {
    for (let at = 0; at < TIMES; at += 1) {
      const id = assessmentOf(at)
      const updated_at = new Date().toISOString()
      const rows = (held.get(id) ?? []).map((row, seat) => ({ ...row, updated_at, score: scoreAt(at, seat) }))
      write.immediate(rows)
      held.set(id, rows)
    }
  }
}

async function main() {
  const clock = systemClock
  const store = await openSchoolStore(oursFolder, { clock, newId: idSource(clock.now, inPortions(randomBytes)), kind: 'school' })
  const written = plainly(plainFolder)
  const [held, plain] = [new Map<string, Grade[]>(), new Map<string, Grade[]>()]
  for (const { id } of assessments) {
    held.set(id, await gradesOf(store, id))
    plain.set(id, held.get(id) ?? [])
  }
  process.on('message', async (asked: { pair?: true }) => {
    if (!asked.pair) return
    round += 1
    const ours = await spent(() => throughTheDoor(store, held))
    const control = await spent(() => written(plain))
    process.send?.({ pair: { ours, control } satisfies Pair })
  })
  process.send?.({ port: 0 })
}

await main()
