import type { Services } from '@markbook/server/http/services'
import { keysOf } from '@markbook/server/http/tokens'
import { parentsOf } from '@markbook/server/replication/identity/enrolment'
import { keysOfEnrolment } from '@markbook/server/replication/incarnation/incarnation'
import { overNetwork } from '@markbook/server/replication/line/network'
import { ParentLine } from '@markbook/server/replication/line/parent-line'
import { Child } from '@markbook/server/replication/upstream/child'
import { joinParent } from '@markbook/server/replication/upstream/join'
import { openSchoolStore } from '@markbook/server/store/store'
import { asSystem } from '@markbook/server/store/tx'
import { textToCursor } from '@markbook/sync/protocol/cursor'
import { present } from '../fill.ts'
import { meter, type Round, serveCommands } from '../program.ts'

/** The address of the parent, and the code of the invitation. */
export type Invitation = { url: string; code: string }
/** A first copy: `rows` until every row has arrived, `whole` until the history has too, for which no user waits. */
export type FirstCopy = { rows: Round; whole: Round }

const [folder = '', sessionSecret = ''] = process.argv.slice(2)

/** A school's server without its API: a database in `folder`, and rounds of replication with a parent on command. */
const store = await openSchoolStore(folder, { ...present, role: 'school' })
const config = { sessionSecret, nodeName: 'Bench School', role: 'school' } as Services['config']
const services = { store, clock: present.clock, config, keys: keysOf(sessionSecret) } as Services

async function greeted(): Promise<Child> {
  const [parent] = await store.read(asSystem(), parentsOf)
  if (!parent) throw new Error('there is no parent')
  const line = new ParentLine(parent, keysOfEnrolment(services, parent), overNetwork(new AbortController().signal))
  const child = new Child(services, parent.id, line)
  if ((await child.greet()).anew) throw new Error('this database is no longer its own')
  return child
}

const countingMarks = async (measured: ReturnType<typeof meter>): Promise<Round> => ({
  ...measured(),
  rows: await store.read(asSystem(), (tx) => tx.db.$count(tx.t.grade)),
})

/** `upOnly`: sends, and fetches nothing. */
async function round({ upOnly }: { upOnly: boolean }): Promise<Round> {
  const measured = meter()
  const child = await greeted()
  while ((await child.push()).more);
  while (!upOnly && (await child.pull(0)).more);
  return countingMarks(measured)
}

/** Runs rounds until nothing is left to fetch or acknowledge. */
async function firstCopy(): Promise<FirstCopy> {
  const measured = meter()
  const child = await greeted()
  const isCopying = async () => textToCursor((await child.pull(0)).page.cursor)?.kind === 'copy'
  while (await isCopying());
  const rows = await countingMarks(measured)
  while ((await child.pull(0)).more);
  while ((await child.push()).more);
  return { rows, whole: await countingMarks(measured) }
}

/** The mean of `count` rounds. */
async function rounds(count: number): Promise<Round> {
  const made: Round[] = []
  for (let at = 0; at < count; at += 1) made.push(await round({ upOnly: false }))
  const mean = (of: 'cpuMicros' | 'ms') => made.reduce((total, each) => total + each[of], 0) / count
  return { cpuMicros: mean('cpuMicros'), ms: mean('ms'), rows: made.at(-1)?.rows ?? 0 }
}

serveCommands({
  join: (invitation: Invitation) => joinParent(services, { ...invitation, kind: 'school' }),
  firstCopy,
  push: () => round({ upOnly: true }),
  rounds,
})
