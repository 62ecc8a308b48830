import { randomBytes } from 'node:crypto'
import { convert } from '@markbook/server/store/convert'
import { openSchoolStore, type Store } from '@markbook/server/store/store'
import { asUser } from '@markbook/server/store/tx'
import type { Row } from '@markbook/shared/tables/tables'
import { and, eq } from 'drizzle-orm'
import { openDatabase } from '../controls/bare.ts'
import { present } from '../fill.ts'
import type { Pair } from '../measure.ts'
import { meter, type Spent, serveCommands } from '../program.ts'
import { benchSchool, type Marked } from '../school.ts'

type Grade = Row<'grade'>
/** Writes of forty marks for one side of a pair. */
const TIMES = 150
const [oursFolder = '', controlFolder = '', what = 'untracked'] = process.argv.slice(2)
const school = benchSchool('year')
const { assessments } = school.markedNow[0] as Marked
const assessmentOf = (at: number) => (assessments[at % assessments.length] as { id: string }).id
let round = 0
const scoreAt = (at: number, seat: number) => ((round * TIMES + at) % 197) / 2 + (seat % 3) / 4

async function spent(work: () => Promise<void>): Promise<Spent> {
  const measured = meter()
  await work()
  const { cpuMicros, ms } = measured()
  return { cpuMicros: cpuMicros / TIMES, ms: ms / TIMES }
}

const gradesOf = (store: Store, assessment: string) =>
  store.read(asUser(school.head.id), (tx) =>
    tx.db
      .select()
      .from(tx.t.grade)
      .where(and(eq(tx.t.grade.school_id, school.id), eq(tx.t.grade.assessment_id, assessment))),
  )

/** Writes with versions, history and commit. The rows were loaded before, as a handler loads them for its checks. */
async function writeTracked(store: Store, gradesById: Map<string, Grade[]>): Promise<void> {
  for (let at = 0; at < TIMES; at += 1) {
    const id = assessmentOf(at)
    const changes = (gradesById.get(id) ?? []).map((before, seat) => ({ before, patch: { score: scoreAt(at, seat) } }))
    gradesById.set(id, await store.write(asUser(school.head.id), (tx) => tx.update('grade', changes)))
  }
}

/** Upserts the same forty rows in one transaction, and does nothing else. */
function plainWriter(folder: string) {
  const database = openDatabase(folder)
  const names = database.prepare("select name from pragma_table_info('grade')").pluck().all() as (keyof Grade)[]
  const rest = names.filter((name) => name !== 'id' && name !== 'school_id').map((name) => `${name} = excluded.${name}`)
  const upsert = database.prepare(
    `insert into grade (${names}) values (${names.map(() => '?')}) on conflict (school_id, id) do update set ${rest}`,
  )
  const write = database.transaction((rows: Grade[]) => {
    for (const row of rows) upsert.run(names.map((name) => (typeof row[name] === 'boolean' ? Number(row[name]) : row[name])))
  })
  return async (gradesById: Map<string, Grade[]>) => {
    for (let at = 0; at < TIMES; at += 1) {
      const id = assessmentOf(at)
      const updated_at = new Date().toISOString()
      const rows = (gradesById.get(id) ?? []).map((row, seat) => ({ ...row, updated_at, score: scoreAt(at, seat) }))
      write.immediate(rows)
      gradesById.set(id, rows)
    }
  }
}

async function trackedWriter(folder: string) {
  const store = await openSchoolStore(folder, { ...present, role: 'school' })
  const gradesById = new Map<string, Grade[]>()
  for (const { id } of assessments) gradesById.set(id, await gradesOf(store, id))
  return { gradesById, write: () => writeTracked(store, gradesById) }
}

/** The control: with a key, the same tracked writes in a plain database; else plain upserts. */
async function control(known: Map<string, Grade[]>) {
  if (what === 'encrypted') return (await trackedWriter(controlFolder)).write
  const writePlain = plainWriter(controlFolder)
  return () => writePlain(known)
}

if (what === 'encrypted') await convert(oursFolder, { name: '00112233445566ff', secret: randomBytes(32) })
const ours = await trackedWriter(oursFolder)
const writeControl = await control(new Map(ours.gradesById))

serveCommands({
  pair: async (): Promise<Pair<Spent>> => {
    round += 1
    return { ours: await spent(ours.write), control: await spent(writeControl) }
  },
})
