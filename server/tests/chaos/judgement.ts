import type { Conflict, RefusedWrite } from '@markbook/shared/contract/replication.rows'
import type { Finding } from '../../cli/doctor/finding.ts'
import { isCi } from '../../testing/ci.ts'
import { hasPgBouncer } from '../../testing/pgbouncer.ts'
import { after, type Node } from '../processes/network.ts'
import type { Author } from './author.ts'
import type { Centre } from './centre.ts'
import type { Ledger } from './ledger.ts'
import { differences, everywhere, type Readers, unaccounted, unsettled } from './oracle.ts'
import type { Person } from './person.ts'

/** `failures`: empty where everything that was promised was kept. */
export type Outcome = { failures: string[]; summary: string; figures?: readonly string[] }

/** Those that are asked at the end. */
type Nodes = Pick<Centre, 'instances' | 'database'> & { schools: readonly Node[]; laptops: readonly Node[]; nodes: readonly Node[] }

const HEALING = 120_000

/** Tells how many seconds after the start something was. */
export function teller(tell: (line: string) => void): (what: string) => void {
  const began = performance.now()
  return (what) => tell(`${((performance.now() - began) / 1_000).toFixed(1).padStart(6)} s  ${what}`)
}

/** Null where there is PgBouncer, or where it may be missing. */
export function demandPgBouncer(say: (what: string) => void): Outcome | null {
  if (hasPgBouncer) return null
  if (isCi) return { failures: ['PgBouncer is not installed, and in CI (the variable CI is set) it must be'], summary: 'nothing was begun' }
  say('no PgBouncer is to be had here: the centre asks Postgres itself, and that much is not proved')
  return null
}

type Judged = {
  at: Nodes
  readers: readonly Readers[]
  ledger: Ledger
  writers: readonly Author[]
  say: (what: string) => void
  /** What happened, for the summary. */
  what: string
}

/** Waits until every node shows the same, asks whether every acknowledged write is there, and has the heads decide what is open. */
export async function judge({ at, readers, ledger, writers, say, what }: Judged): Promise<Outcome> {
  const healed = performance.now()
  const failures = [...ledger.wrong]
  const apart = await meeting(readers, HEALING)
  const fallen = at.nodes.filter(({ fallen: exit }) => exit !== undefined)
  if (apart.length + fallen.length > 0) {
    const ends = fallen.map((node) => `the server of ${node.name} ended by itself with ${node.fallen}: ${node.output().slice(-2_000)}`)
    return { failures: [...failures, ...ends, ...apart], summary: `${what}, and the nodes did not meet again` }
  }
  const met = ((performance.now() - healed) / 1_000).toFixed(1)
  say(`every node answered the same ${met} s after the last fault`)
  for (const each of readers) failures.push(...(await unaccounted(each, ledger)))
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
    summary: `${what}; ${total} writes acknowledged to ${writers.length} people at ${at.nodes.length} processes, ${ledger.count('unknown')} without an answer; ${decided} conflicts decided; all the same ${met} s after the last fault`,
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
async function decideAll(readers: Readers): Promise<number> {
  const person = readers.head.at(-1) as Person
  const open = await person.see<Conflict[]>('/api/sync/conflicts?status=open')
  for (const [turn, { id }] of open.entries())
    await person.write('POST', `/api/sync/conflicts/${id}/resolve`, { choice: turn % 2 === 0 ? 'current' : 'kept' })
  for (const each of everywhere(readers))
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
async function examined(at: Nodes): Promise<string[]> {
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
async function backedUp({ instances, schools, laptops, database }: Nodes): Promise<void> {
  for (const node of [...schools, ...laptops]) await node.done('backup')
  const [first] = instances
  const { settings } = first
  first.settings = { ...settings, DATABASE_URL: database }
  await first.done('backup').finally(() => {
    first.settings = settings
  })
}
