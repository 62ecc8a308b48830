import type { Assessment } from '@markbook/shared/contract/assessments'
import type { Conflict, RefusedWrite } from '@markbook/shared/contract/replication.rows'
import type { Student } from '@markbook/shared/contract/students'
import { hilltopPupil, pupilsOf3B } from '@markbook/shared/story/marks'
import { hilltop, stBrigids } from '@markbook/shared/story/people'
import { english, hilltopClass, hilltopMaths, hilltopTerm, maths, michaelmas } from '@markbook/shared/story/school-year'
import type { Finding } from '../../cli/doctor/finding.ts'
import { isCi } from '../../testing/ci.ts'
import { hasPgBouncer } from '../../testing/pgbouncer.ts'
import { after, until } from '../processes/network.ts'
import { type Chance, chanceOf } from '../world/chance.ts'
import { misfortunes, yesterday } from './faults.ts'
import { type Installation, install } from './installation.ts'
import { type Group, Ledger } from './ledger.ts'
import { differences, type Readers, readersOf, unaccounted, unsettled } from './oracle.ts'
import { Person, type Seat } from './person.ts'
import { Writer } from './writer.ts'

/** `ms`: for how long faults happen, beside the start and the healing. `cluster`: the address of a Postgres server. */
export type Run = { seed: number; ms: number; cluster: string; tell: (line: string) => void }
/** `failures`: empty where everything that was promised was kept. */
export type Outcome = { failures: string[]; summary: string }

const PUPILS = 5
const HEALING = 120_000
const TELL = 5_000

export async function chaos({ seed, ms, cluster, tell }: Run): Promise<Outcome> {
  const began = performance.now()
  const seconds = (since = began) => ((performance.now() - since) / 1_000).toFixed(1)
  const say = (what: string) => tell(`${seconds().padStart(6)} s  ${what}`)
  if (!hasPgBouncer) {
    if (isCi)
      return { failures: ['PgBouncer is not installed, and in CI (the variable CI is set) it must be'], summary: 'nothing was begun' }
    say('no PgBouncer is to be had here: the centre asks Postgres itself, and that much is not proved')
  }
  const groups: [Group, Group] = [
    { school: stBrigids, term: michaelmas.id, subject: maths.id, pupils: pupilsOf3B.map(({ id }) => id), head: 'okafor', teacher: 'ada' },
    {
      school: hilltop,
      term: hilltopTerm.id,
      subject: hilltopMaths.id,
      pupils: [hilltopPupil.id],
      head: 'marker',
      teacher: 'markerTeacher',
    },
  ]
  const fill = async ({ centre }: { centre: Seat }) => {
    groups[1].pupils = [hilltopPupil.id, ...(await newPupils(new Person('marker', centre)))]
  }
  const at = await install(cluster, fill, say)
  const ledger = new Ledger()
  const writers: Writer[] = []
  try {
    writers.push(...(await writersOf(at, groups, ledger, seed)))
    say(`${writers.length} people begin to write`)
    for (const writer of writers) writer.resume()
    await after(1_500)
    for (const writer of writers) await writer.pause()
    const heads = [new Person('okafor', at.seats.schools[0]), new Person('marker', at.seats.schools[1])] as const
    const backups = [await yesterday(at.schools[0], heads[0]), await yesterday(at.schools[1], heads[1])] as const
    say('both schools have made the backup of a night')
    for (const writer of writers) writer.resume()
    const progress = setInterval(() => say(progressOf(ledger)), TELL)
    const scene = { at, writers, heads, backups, say }
    const count = await misfortunes(scene, [chanceOf(seed), chanceOf(seed + 500_000)], ms).finally(() => clearInterval(progress))
    for (const writer of writers) await writer.pause()
    say(`${count} faults are over; ${progressOf(ledger)}`)
    return await judge({ at, groups, ledger, writers, say, count })
  } catch (error) {
    return { failures: [String(error)], summary: 'it ended before its end' }
  } finally {
    await Promise.all(writers.map((writer) => writer.pause()))
    await at.remove()
  }
}

const progressOf = (ledger: Ledger) => `${ledger.count('acknowledged')} writes acknowledged, ${ledger.count('unknown')} without an answer`

async function newPupils(head: Person): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < PUPILS; at += 1) {
    const { id } = await head.write<Student>('POST', '/api/students', { firstName: `Pupil ${at}`, lastName: 'Hilltop', gender: 'other' })
    ids.push(id)
  }
  await head.write('POST', `/api/classes/${hilltopClass.id}/enroll/bulk`, { studentIds: ids })
  return ids
}

/** Each with an assessment that is theirs alone, and at each school two that several write in. */
async function writersOf(at: Installation, groups: readonly [Group, Group], ledger: Ledger, seed: number): Promise<Writer[]> {
  const { centre, schools, laptops } = at.seats
  const writers: Writer[] = []
  const chance = (): Chance => chanceOf(seed * 100 + writers.length)
  for (const [which, group] of groups.entries()) {
    const people = [
      new Person(group.head, centre),
      new Person(group.head, schools[which as 0 | 1]),
      new Person(group.teacher, laptops[which as 0 | 1]),
    ]
    for (const person of people) await person.copied()
    const shared: string[] = []
    for (const title of ['shared 1', 'shared 2']) {
      const body = { termId: group.term, subjectId: group.subject, title, assessmentType: 'coursework', maxScore: 100 }
      shared.push((await (people[0] as Person).write<Assessment>('POST', '/api/assessments', body)).id)
    }
    for (const person of people) {
      await until(
        () =>
          person.read(`/api/assessments/${shared.at(-1)}`).then(
            () => true,
            () => false,
          ),
        `what is shared, at ${person.seat.name}`,
      )
      writers.push(new Writer(person, group, group.subject, shared, ledger, chance()))
    }
  }
  writers.push(new Writer(new Person('byrne', schools[0]), groups[0], english.id, [], ledger, chance()))
  for (const writer of writers) await writer.begin()
  return writers
}

type Judged = {
  at: Installation
  groups: readonly [Group, Group]
  ledger: Ledger
  writers: readonly Writer[]
  say: (what: string) => void
  count: number
}

async function judge({ at, groups, ledger, writers, say, count }: Judged): Promise<Outcome> {
  const readers = readersOf(at, groups)
  const healed = performance.now()
  const failures = [...ledger.wrong]
  const apart = await meeting(readers, HEALING)
  const fallen = at.nodes.filter(({ fallen: exit }) => exit !== undefined)
  if (apart.length + fallen.length > 0) {
    const ends = fallen.map((node) => `the server of ${node.name} ended by itself with ${node.fallen}: ${node.output().slice(-2_000)}`)
    return { failures: [...failures, ...ends, ...apart], summary: `${count} faults, and the nodes did not meet again` }
  }
  const met = ((performance.now() - healed) / 1_000).toFixed(1)
  say(`every node answered the same ${met} s after the last fault`)
  const subjects = new Set([maths.id, english.id, hilltopMaths.id])
  for (const each of readers) {
    const own = writers.filter(({ group }) => group === each.group)
    const of = new Set([...subjects].filter((id) => own.some(({ subject }) => subject === id)))
    failures.push(...(await unaccounted(each, ledger, new Set(own.map(({ person }) => person.name)), of)))
  }
  for (const { person } of writers) if (!ledger.acknowledgedAt.get(person.name)) failures.push(`nothing was acknowledged to ${person.name}`)
  say('the heads decide what is to be decided')
  let decided = 0
  for (const each of readers) decided += await decideAll(each)
  failures.push(...(await meeting(readers, HEALING)))
  for (const each of readers) failures.push(...(await undecided(each)))
  say('audit and doctor at each node')
  failures.push(...(await examined(at)))
  for (const node of at.nodes) {
    const exit = await node.stop()
    if (exit !== 0) failures.push(`the server of ${node.name} ended with ${exit} when it was stopped`)
  }
  const total = ledger.count('acknowledged')
  return {
    failures,
    summary: `${count} faults; ${total} writes acknowledged to ${writers.length} people at ${at.nodes.length} processes, ${ledger.count('unknown')} without an answer; ${decided} conflicts decided; all the same ${met} s after the last fault`,
  }
}

/** What still differs or waits when the time is over. */
async function meeting(readers: readonly Readers[], patience: number): Promise<string[]> {
  const end = performance.now() + patience
  for (;;) {
    const found = await unsettled(readers)
      .then(async (waiting) => (waiting.length > 0 ? waiting : differences(readers)))
      .catch((error) => [String(error)])
    if (found.length === 0 || performance.now() > end) return found
    await after(500)
  }
}

/** By the head at the school: what stands stays, or what was kept counts, in turn; what was not taken is put aside at each end. */
async function decideAll({ head, teacher }: Readers): Promise<number> {
  const person = head.at(-1) as Person
  const open = await person.see<Conflict[]>('/api/sync/conflicts?status=open')
  for (const [turn, { id }] of open.entries())
    await person.write('POST', `/api/sync/conflicts/${id}/resolve`, { choice: turn % 2 === 0 ? 'current' : 'kept' })
  for (const each of [...head, teacher.at(-1) as Person])
    for (const { id, seen_at } of await each.see<RefusedWrite[]>('/api/sync/refused'))
      if (seen_at === null) await each.write('POST', `/api/sync/refused/${id}/seen`, {})
  return open.length
}

async function undecided({ head }: Readers): Promise<string[]> {
  const found: string[] = []
  for (const person of head) {
    const open = await person.see<Conflict[]>('/api/sync/conflicts?status=open')
    found.push(...open.map(({ where, kept }) => `still to decide at ${person.seat.name}: ${where}, ${JSON.stringify(kept)}`))
  }
  return found
}

/** What audit and doctor find at each node; a clock that was wrong is no fault of a node, and the doctor says so for as long as it was ahead. */
async function examined(at: Installation): Promise<string[]> {
  const found: string[] = []
  await backedUp(at)
  for (const node of at.nodes) {
    const audit = await node.verb('audit')
    if (audit.exit !== 0) found.push(`markbook audit at ${node.name} ends with ${audit.exit}: ${audit.text}`)
    const doctor = await node.verb('doctor', '--json')
    const { findings } = JSON.parse(doctor.text) as { findings: Finding[] }
    const told = findings.filter(
      ({ check, severity, what }) =>
        !/clock|still to come/.test(what) && (severity === 'problem' || (check === 'replication' && severity !== 'ok')),
    )
    found.push(...told.map(({ severity, what }) => `markbook doctor at ${node.name}: ${severity}, ${what}`))
  }
  return found
}

/** As the guide asks; the centre's past PgBouncer. */
async function backedUp({ instances, schools, laptops, database }: Installation): Promise<void> {
  for (const node of [...schools, ...laptops]) await node.done('backup')
  const [first] = instances
  const { settings } = first
  first.settings = { ...settings, DATABASE_URL: database }
  await first.done('backup').finally(() => {
    first.settings = settings
  })
}
