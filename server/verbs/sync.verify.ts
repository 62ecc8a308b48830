import { setTimeout as after } from 'node:timers/promises'
import { statusOf } from '../features/replication/status.ts'
import type { Services } from '../http/services.ts'
import { Child } from '../peers/child.ts'
import { keepSame, whoseOf } from '../peers/comparison.ts'
import { keysOfEnrolment } from '../peers/incarnation.ts'
import { overNetwork } from '../peers/network.ts'
import { LineFailure, ParentLine } from '../peers/parent-line.ts'
import { trustedAuthority } from '../peers/trust.ts'
import { type Difference, differencesOf, digestsOf } from '../peers/verify.ts'
import { asSystem } from '../store/tx.ts'
import { counted } from './backup.ts'
import { atConsole, type Console, parentHere } from './console.ts'

/** How often, and after how long, a difference is looked at again before it is believed: it may be on its way. */
const LOOKS = 4
const BETWEEN = 2_000

export async function verify({ repair = false }: { repair?: boolean }) {
  await atConsole(async (at) => {
    const parent = await parentHere(at, 'sync verify')
    const carry = overNetwork(new AbortController().signal, () => trustedAuthority(at.config.dataDir))
    const line = new ParentLine(parent, keysOfEnrolment(at, parent), carry)
    const child = new Child(at as unknown as Services, parent.id, line)
    const session = <T>(work: () => Promise<T>) => inSession(child, work)
    if (repair) {
      console.log(`Merging everything with ${parent.name} again …`)
      await session(() => child.mergeAll())
    }
    const whose = whoseOf(parent)
    let differences: Difference[] = []
    for (let look = 1; look <= LOOKS; look += 1) {
      const there = await session(() => line.verify())
      differences = differencesOf(await digestsOf(at.store, whose), there)
      if (differences.length === 0) {
        const rows = there.tables.reduce((sum, { count }) => sum + count, 0)
        await at.store.write(asSystem(), (tx) => keepSame(tx, parent.id))
        console.log(`${parent.name} and this server hold the same ${counted(rows, 'row')} in ${counted(there.tables.length, 'table')}.`)
        return
      }
      if (look < LOOKS) await after(BETWEEN)
    }
    process.exitCode = 3
    console.log(`${parent.name} and this server do not hold the same:`)
    for (const { table, here, there } of differences)
      console.log(
        `  ${table.padEnd(28)} ${here === there ? `${here} at both, but not all of them the same` : `${here} here, ${there} there`}`,
      )
    console.log(await advice(at, parent.school_id as string, repair))
  })
}

async function advice({ store }: Console, school: string, repaired: boolean): Promise<string> {
  const { waiting, held } = await store.read(asSystem(), (tx) => statusOf(tx, school, null))
  if (waiting > 0) return `${counted(waiting, 'row')} of this server have not arrived yet: look again when they have.`
  if (held > 0) return `${counted(held, 'row')} are held here: an administrator sees them, with the reason.`
  return repaired
    ? 'Merging again did not help: keep both databases (markbook backup) and ask for help.'
    : 'Merge again: markbook sync verify --repair'
}

/** `sync.later`: the parent compares one at a time. */
const isPassing = ({ code }: LineFailure) => code === 'sync.stale_session' || code === 'sync.later'

/** A session of this verb and the running server's end each other: so it is begun again where that happened. */
async function inSession<T>(child: Child, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      if ((await child.greet()).anew)
        throw new Error('This database was restored or copied, and begins anew when the server has the line. Start it first.')
      return await work()
    } catch (error) {
      if (!(error instanceof LineFailure) || !isPassing(error) || tries === 5) throw error
      await after(BETWEEN)
    }
  }
}
