import { asSystem } from '@markbook/server/store/tx'
import { copyUp, dropCentre, emptyCentre } from '../central.ts'
import { copyOfSchool } from '../fill.ts'
import { type Bench, most } from '../finding.ts'
import { atCentre, invitation } from '../joining.ts'
import { median } from '../measure.ts'
import { startProgram, startServer } from '../processes.ts'
import type { Round } from '../programs/child.ts'
import { SECRET } from '../requests.ts'
import { end } from '../school-server.ts'
import { MARKS, SIZE } from './copy.rows.ts'

type Sent = Round & { centreMicros: number }

/** A school that started alone, with a year of marks, joins a centre that has nothing of it. */
async function sent(round: number): Promise<Sent> {
  const [url, folder] = [await emptyCentre(`up_${round}`), await copyOfSchool(SIZE, `up-${round}`)]
  const centre = await startServer({ DATABASE_URL: url, SESSION_SECRET: SECRET })
  const child = await startProgram('child', folder, SECRET)
  await child.ask({ join: await invitation(url, centre.port, null) }, 'joined')
  const before = await centre.usage()
  const made = await child.ask<Round>({ up: true }, 'round')
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

export const up: Bench = {
  name: 'up',
  async run({ pairs }) {
    const [ours, plain]: [Sent[], number[]] = [[], []]
    for (let pair = 0; pair < pairs; pair += 1) {
      ours.push(await sent(pair))
      plain.push(await plainlySent(pair))
    }
    const seconds = (values: readonly number[], unit: number) => (median(values) / unit).toFixed(2)
    return [
      {
        what: '100,000 new marks up into Postgres, with versions and history',
        control: 'COPY of the rows, by time',
        target: most(2.5),
        measured: median(ours.map(({ ms }, at) => ms / (plain[at] as number))),
        figure: `${seconds(
          ours.map(({ ms }) => ms),
          1_000,
        )} s / ${seconds(plain, 1_000)} s; CPU of the school ${seconds(
          ours.map(({ cpuMicros }) => cpuMicros),
          1_000_000,
        )} s, of the centre without Postgres ${seconds(
          ours.map(({ centreMicros }) => centreMicros),
          1_000_000,
        )} s`,
      },
    ]
  },
}
