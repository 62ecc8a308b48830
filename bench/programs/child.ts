import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { Services } from '@markbook/server/http/services'
import { keysOf } from '@markbook/server/http/tokens'
import { Child } from '@markbook/server/peers/child'
import { parentsOf } from '@markbook/server/peers/enrolment'
import { keysOfEnrolment } from '@markbook/server/peers/incarnation'
import { joinParent } from '@markbook/server/peers/join'
import { overNetwork } from '@markbook/server/peers/network'
import { ParentLine } from '@markbook/server/peers/parent-line'
import { openSchoolStore } from '@markbook/server/store/store'
import { asSystem } from '@markbook/server/store/tx'
import { systemClock } from '@markbook/shared/clock'
import { idSource } from '@markbook/shared/ids'

/** A school's server without its API: its own database in `folder`, and rounds with a parent that are made when they are asked for. */
export type Invited = { url: string; code: string }
/** What a round took, of this process and by the clock, and how many rows there are then. */
export type Round = { cpuMicros: number; ms: number; rows: number }

const [folder = '', sessionSecret = ''] = process.argv.slice(2)

async function main() {
  const clock = systemClock
  const newId = idSource(clock.now, (size) => randomBytes(size))
  const store = await openSchoolStore(folder, { clock, newId, kind: 'school' })
  const config = { sessionSecret, nodeName: 'Bench School', databaseUrl: null } as unknown as Services['config']
  const services = { store, clock, config, keys: keysOf(sessionSecret) } as Services

  /** `only`: nothing is fetched. */
  const round = async (only?: 'up'): Promise<Round> => {
    const [cpu, started] = [process.cpuUsage(), performance.now()]
    const [parent] = await store.read(asSystem(), parentsOf)
    if (!parent) throw new Error('there is no parent')
    const line = new ParentLine(parent, keysOfEnrolment(services, parent), overNetwork(new AbortController().signal))
    const child = new Child(services, parent.id, line)
    if ((await child.greet()).anew) throw new Error('this database is no longer its own')
    while ((await child.push()).more);
    while (only !== 'up' && (await child.pull(0)).more);
    const { user, system } = process.cpuUsage(cpu)
    const ms = performance.now() - started
    const rows = await store.read(asSystem(), (tx) => tx.db.$count(tx.t.grade))
    return { cpuMicros: user + system, ms, rows }
  }
  const rounds = async (count: number): Promise<Round> => {
    const made: Round[] = []
    for (let at = 0; at < count; at += 1) made.push(await round())
    const sum = (of: 'cpuMicros' | 'ms') => made.reduce((total, each) => total + each[of], 0) / count
    return { cpuMicros: sum('cpuMicros'), ms: sum('ms'), rows: made.at(-1)?.rows ?? 0 }
  }
  const answer = (name: string, work: Promise<unknown>) =>
    work.then(
      (result) => process.send?.({ [name]: result }),
      (error: Error) => process.send?.({ failure: error.stack }),
    )
  process.on('message', (asked: { join?: Invited; rounds?: number; up?: true }) => {
    if (asked.join) void answer('joined', joinParent(services, { ...asked.join, kind: 'school' }))
    if (asked.up) void answer('round', round('up'))
    if (asked.rounds) void answer('round', rounds(asked.rounds))
  })
  process.send?.({ port: 0 })
}

await main()
