import type { Assessment } from '@markbook/shared/contract/assessments'
import type { Student } from '@markbook/shared/contract/students'
import { hilltopPupil, pupilsOf3B } from '@markbook/shared/story/marks'
import { english, hilltopClass, hilltopMaths, hilltopTerm, maths, michaelmas } from '@markbook/shared/story/school-year'
import { after, until } from '../processes/network.ts'
import { type Chance, chanceOf } from '../world/chance.ts'
import { misfortunes, yesterday } from './faults.ts'
import { type Installation, install } from './installation.ts'
import { demandPgBouncer, judge, type Outcome, teller } from './judgement.ts'
import { type Group, Ledger } from './ledger.ts'
import { readersOf } from './oracle.ts'
import { accountOf, Person, personOf } from './person.ts'
import { Writer, type WritingScope } from './writer.ts'

/** `ms`: for how long faults happen, beside the start and the healing. `cluster`: the address of a Postgres server. */
export type Run = { seed: number; ms: number; cluster: string; tell: (line: string) => void }

const PUPILS = 5
const TELL = 5_000

export async function chaos({ seed, ms, cluster, tell }: Run): Promise<Outcome> {
  const say = teller(tell)
  const missing = demandPgBouncer(say)
  if (missing) return missing
  const groups: [Group, Group] = [
    { head: accountOf('okafor'), terms: [michaelmas.id], subjects: [maths.id, english.id] },
    { head: accountOf('marker'), terms: [hilltopTerm.id], subjects: [hilltopMaths.id] },
  ]
  const pupils: [string[], string[]] = [pupilsOf3B.map(({ id }) => id), [hilltopPupil.id]]
  const at = await install(cluster, async ({ seat }) => void pupils[1].push(...(await newPupils(personOf('marker', seat)))), say)
  const ledger = new Ledger()
  const writers: Writer[] = []
  try {
    writers.push(...(await writersOf(at, { groups, pupils }, ledger, seed)))
    say(`${writers.length} people begin to write`)
    for (const writer of writers) writer.resume()
    await after(1_500)
    for (const writer of writers) await writer.pause()
    const heads = [personOf('okafor', at.schoolSeats[0]), personOf('marker', at.schoolSeats[1])] as const
    const backups = [await yesterday(at.schools[0], heads[0]), await yesterday(at.schools[1], heads[1])] as const
    say('both schools have made the backup of a night')
    for (const writer of writers) writer.resume()
    const progress = setInterval(() => say(progressOf(ledger)), TELL)
    const context = { at, writers, heads, backups, say }
    const count = await misfortunes(context, [chanceOf(seed), chanceOf(seed + 500_000)], ms).finally(() => clearInterval(progress))
    for (const writer of writers) await writer.pause()
    say(`${count} faults are over; ${progressOf(ledger)}`)
    const readers = ([0, 1] as const).map((which) => {
      const laptops = [{ owner: accountOf(TEACHERS[which]), seat: at.laptopSeats[which] }]
      return readersOf(groups[which], [...at.seats, at.schoolSeats[which]], laptops)
    })
    return await judge({ at, readers, ledger, writers, say, what: `${count} faults` })
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

const TEACHERS = ['ada', 'markerTeacher'] as const

/** Each with an assessment that is theirs alone, and at each school two that several write in. */
async function writersOf(
  { seat, schoolSeats, laptopSeats }: Installation,
  { groups, pupils }: { groups: readonly [Group, Group]; pupils: readonly [string[], string[]] },
  ledger: Ledger,
  seed: number,
): Promise<Writer[]> {
  const writers: Writer[] = []
  const chance = (): Chance => chanceOf(seed * 100 + writers.length)
  for (const which of [0, 1] as const) {
    const group = groups[which]
    const [term = '', subject = ''] = [group.terms[0], group.subjects[0]]
    const place: WritingScope = { group, term, subject, pupils: pupils[which] }
    const head = new Person(group.head, seat)
    const people = [head, new Person(group.head, schoolSeats[which]), personOf(TEACHERS[which], laptopSeats[which])]
    for (const person of people) await person.copied()
    const shared: string[] = []
    for (const title of ['shared 1', 'shared 2']) {
      const body = { termId: term, subjectId: subject, title, assessmentType: 'coursework', maxScore: 100 }
      shared.push((await head.write<Assessment>('POST', '/api/assessments', body)).id)
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
      writers.push(new Writer(person, place, shared, ledger, chance()))
    }
  }
  const elsewhere = { group: groups[0], term: michaelmas.id, subject: english.id, pupils: pupils[0] }
  writers.push(new Writer(personOf('byrne', schoolSeats[0]), elsewhere, [], ledger, chance()))
  for (const writer of writers) await writer.begin()
  return writers
}
