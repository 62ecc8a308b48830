import { asUser } from '@markbook/server/store/tx'
import { descriptions } from '@markbook/shared/tables/tables'
import { type Bench, most } from '../bench-row.ts'
import { atCentre, invitation } from '../central.ts'
import { emptyFolder, filledFolder } from '../fill.ts'
import { inTurns } from '../measure.ts'
import { type Program, SECRET, startProgram } from '../processes.ts'
import type { Round } from '../program.ts'
import type { FirstCopy } from '../programs/child.ts'
import { benchSchool } from '../school.ts'
import { end, type Serving, serveCentral } from '../school-server.ts'
import { median, medianRatio } from '../statistics.ts'

export const SIZE = 'marks'
export const MARKS = 100_000
const CHANGED = 1_000
const AT_ONCE = 40
const QUIET_ROUNDS = 25

const demandAll = ({ rows }: Round): void => {
  if (rows !== MARKS) throw new Error(`${rows} marks came, not ${MARKS}`)
}

/** One mark in a hundred gets another score, forty at a time, as a teacher saves them. */
async function changeSome(url: string, round: number): Promise<void> {
  const { id: school, head } = benchSchool(SIZE)
  await atCentre(url, async (store) => {
    const { grade } = store.dialect.tables
    const rows = await store.read(asUser(head.id), (tx) => tx.db.select().from(grade).orderBy(grade.id))
    const chosen = rows.filter((_, at) => at % (MARKS / CHANGED) === round % 100)
    for (let at = 0; at < chosen.length; at += AT_ONCE) {
      const changes = chosen.slice(at, at + AT_ONCE).map((before) => ({ before, patch: { score: before.score === 50 ? 51 : 50 } }))
      await store.write(asUser(head.id), (tx) => tx.update('grade', changes))
    }
    if (chosen.length !== CHANGED) throw new Error(`${chosen.length} marks of ${school} were changed`)
  })
}

type Copied = { first: FirstCopy; quiet: Round; changed: Round; centreMicros: number }

/** A school's server that was just joined. */
async function begin({ url, program }: Serving<{ url: string }>, folder: string): Promise<{ child: Program; first: FirstCopy }> {
  const child = await startProgram('child', folder, SECRET)
  await child.ask('join', await invitation(url, program.port, benchSchool(SIZE).id))
  const first = await child.ask<FirstCopy>('firstCopy')
  demandAll(first.rows)
  return { child, first }
}

export async function copyInto(centre: Serving<{ url: string }>, folder: string): Promise<Round> {
  const { child, first } = await begin(centre, folder)
  await end({ program: child, folder })
  return first.rows
}

async function copied(centre: Serving<{ url: string }>, round: number): Promise<Copied> {
  const folder = await emptyFolder(`child-${round}`)
  const before = await centre.program.usage()
  const { child, first } = await begin(centre, folder)
  const after = await centre.program.usage()
  const quiet = await child.ask<Round>('rounds', QUIET_ROUNDS)
  await changeSome(centre.url, round)
  const changed = await child.ask<Round>('rounds', 1)
  await end({ program: child, folder })
  return { first, quiet, changed, centreMicros: after.cpuMicros - before.cpuMicros }
}

async function plainlyCopied(round: number): Promise<Round> {
  const folder = await emptyFolder(`plain-${round}`)
  const plain = await startProgram('plain-copy', folder, await filledFolder(SIZE), Object.keys(descriptions).join())
  const written = await plain.ask<Round>('copy')
  await end({ program: plain, folder })
  demandAll(written)
  return written
}

const seconds = (micros: number) => `${(micros / 1_000_000).toFixed(2)} s`
const speed = (rounds: readonly Round[]) => (MARKS / (median(rounds.map(({ ms }) => ms)) / 1_000)).toFixed(0)

export const firstCopy: Bench = async ({ pairs }) => {
  const centre = await serveCentral(SIZE)
  const { ours, control: plain } = await inTurns(pairs, (pair) => copied(centre, pair), plainlyCopied)
  const cpu = (round: (each: Copied) => Round) => ours.map((each) => round(each).cpuMicros)
  const firstOf = ({ first }: Copied) => first.rows
  const wholeOf = ({ first }: Copied) => first.whole
  const [first, whole] = [median(cpu(firstOf)), median(cpu(wholeOf))]
  const share = (round: (each: Copied) => Round) => medianRatio(cpu(round), cpu(wholeOf))
  const control = plain.map(({ cpuMicros }) => cpuMicros)
  return [
    {
      what: 'first copy of 100,000 marks into a school',
      control: 'the same rows and versions in one transaction, by CPU',
      target: most(2),
      measured: medianRatio(cpu(firstOf), control),
      figure: `CPU ${seconds(first)} / ${seconds(median(control))}; ${speed(ours.map(firstOf))} / ${speed(plain)} rows a second; with the history that follows ${seconds(whole)}, ${speed(ours.map(wholeOf))} a second, and of the centre ${seconds(median(ours.map(({ centreMicros }) => centreMicros)))}`,
    },
    {
      what: '1 % of them changed after that',
      control: 'the first copy with its history, by CPU',
      target: most(0.03),
      measured: share(({ changed }) => changed),
      figure: `CPU ${(median(cpu(({ changed }) => changed)) / 1_000).toFixed(1)} ms / ${seconds(whole)}`,
    },
    {
      what: 'nothing changed after that',
      control: 'the first copy with its history, by CPU',
      target: most(0.002),
      measured: share(({ quiet }) => quiet),
      figure: `CPU ${(median(cpu(({ quiet }) => quiet)) / 1_000).toFixed(2)} ms / ${seconds(whole)}`,
    },
  ]
}
