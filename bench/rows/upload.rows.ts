import { asSystem } from '@markbook/server/store/tx'
import { type Bench, most } from '../bench-row.ts'
import { atCentre, copyUp, dropCentre, emptyCentre, invitation } from '../central.ts'
import { copyOfSchool } from '../fill.ts'
import { inTurns } from '../measure.ts'
import { SECRET, startProgram, startServer } from '../processes.ts'
import type { Round } from '../program.ts'
import { end } from '../school-server.ts'
import { median, medianRatio } from '../statistics.ts'
import { MARKS, SIZE } from './first-copy.rows.ts'

type Sent = Round & { centreMicros: number }

/** A school that started alone, with a year of marks, joins a centre that has nothing of it. */
async function sent(round: number): Promise<Sent> {
  const [url, folder] = [await emptyCentre(`up_${round}`), await copyOfSchool(SIZE, `up-${round}`)]
  const centre = await startServer({ url })
  const child = await startProgram('child', folder, SECRET)
  await child.ask('join', await invitation(url, centre.port, null))
  const before = await centre.usage()
  const made = await child.ask<Round>('push')
  const after = await centre.usage()
  const rows = await atCentre(url, (store) => store.read(asSystem(), (tx) => tx.db.$count(tx.t.grade)))
  if (rows !== MARKS) throw new Error(`${rows} marks came, not ${MARKS}`)
  await end({ program: child, folder }, { program: centre })
  await dropCentre(url)
  return { ...made, centreMicros: after.cpuMicros - before.cpuMicros }
}

async function plainlySent(round: number): Promise<number> {
  const url = await emptyCentre(`plain_up_${round}`)
  const ms = await copyUp(SIZE, url)
  await dropCentre(url)
  return ms
}

export const upload: Bench = async ({ pairs }) => {
  const { ours, control: plain } = await inTurns(pairs, sent, plainlySent)
  const seconds = (values: readonly number[], unit: number) => (median(values) / unit).toFixed(2)
  const of = (figure: 'ms' | 'cpuMicros' | 'centreMicros') => ours.map((round) => round[figure])
  return [
    {
      what: '100,000 new marks up into Postgres, with versions and history',
      control: 'COPY of the rows, by time',
      target: most(2.5),
      measured: medianRatio(of('ms'), plain),
      figure: `${seconds(of('ms'), 1_000)} s / ${seconds(plain, 1_000)} s; CPU of the school ${seconds(of('cpuMicros'), 1_000_000)} s, of the centre without Postgres ${seconds(of('centreMicros'), 1_000_000)} s`,
    },
  ]
}
