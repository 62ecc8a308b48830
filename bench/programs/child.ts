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
import { textToCursor } from '@markbook/sync/protocol/cursor'

/** A school's server without its API: its own database in `folder`, and rounds with a parent that are made when they are asked for. */
export type Invited = { url: string; code: string }
/** What a round took, of this process and by the clock, and how many rows there are then. */
export type Round = { cpuMicros: number; ms: number; rows: number }
/** A first copy: `rows` until every row is there, `whole` until its history is as well, which nobody waits for. */
export type FirstCopy = { rows: Round; whole: Round }

const [folder = '', sessionSecret = ''] = process.argv.slice(2)

async function main() {
  const clock = systemClock
  const newId = idSource(clock.now, (size) => randomBytes(size))
  const store = await openSchoolStore(folder, { clock, newId, kind: 'school' })
  const config = { sessionSecret, nodeName: 'Bench School', databaseUrl: null } as unknown as Services['config']
  const services = { store, clock, config, keys: keysOf(sessionSecret) } as Services

  const greeted = async (): Promise<Child> => {
    const [parent] = await store.read(asSystem(), parentsOf)
    if (!parent) throw new Error('there is no parent')
    const line = new ParentLine(parent, keysOfEnrolment(services, parent), overNetwork(new AbortController().signal))
    const child = new Child(services, parent.id, line)
    if ((await child.greet()).anew) throw new Error('this database is no longer its own')
    return child
  }
  /** From now on until what it answers is called. */
  const meter = () => {
    const [cpu, started] = [process.cpuUsage(), performance.now()]
    return async (): Promise<Round> => {
      const { user, system } = process.cpuUsage(cpu)
      const ms = performance.now() - started
      const rows = await store.read(asSystem(), (tx) => tx.db.$count(tx.t.grade))
      return { cpuMicros: user + system, ms, rows }
    }
  }
  /** `only`: nothing is fetched. */
  const round = async (only?: 'up'): Promise<Round> => {
    const measured = meter()
    const child = await greeted()
    while ((await child.push()).more);
    while (only !== 'up' && (await child.pull(0)).more);
    return measured()
  }
  /** Over when there is nothing more to fetch or to acknowledge. */
  const firstCopy = async (): Promise<FirstCopy> => {
    const measured = meter()
    const child = await greeted()
    const isCopying = async () => textToCursor((await child.pull(0)).page.cursor)?.kind === 'copy'
    while (await isCopying());
    const rows = await measured()
    while ((await child.pull(0)).more);
    while ((await child.push()).more);
    return { rows, whole: await measured() }
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
  process.on('message', (asked: { join?: Invited; rounds?: number; up?: true; first?: true }) => {
    if (asked.join) void answer('joined', joinParent(services, { ...asked.join, kind: 'school' }))
    if (asked.first) void answer('copied', firstCopy())
    if (asked.up) void answer('round', round('up'))
    if (asked.rounds) void answer('round', rounds(asked.rounds))
  })
  process.send?.({ port: 0 })
}

await main()
