import { setTimeout as after } from 'node:timers/promises'
import { Gauge } from 'prom-client'
import type { Services } from '../../http/services.ts'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import { currentParent, type UpstreamStatus } from '../../replication/upstream/upstream-status.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'
import { computersBelow } from './below.ts'
import { openConflicts } from './conflict-groups.ts'
import { comparisonOf } from './difference.ts'
import { refusedUnseen } from './refused.ts'
import { stateOf, waitingFor } from './status.ts'

type Figures = {
  waiting: number
  files: number
  conflicts: number
  held: number
  refused: number
  refusedBelow: number
  children: number
  place: number
  altered: number
  older: number
  lastContact: number
  differing: number
  compared: number
  state: string
}

/** Figures of all schools of this database; `lastContact` with the parent, in seconds since 1970. */
async function figuresOf(tx: ReadTx, course: UpstreamStatus | null): Promise<Figures> {
  const { sync_held } = tx.t
  const parents = await parentsOf(tx)
  const parent = currentParent(parents, course)
  const waiting = parent ? (await waitingFor(tx, parent)).rows : 0
  return {
    waiting,
    files: await tx.db.$count(tx.t.sync_file),
    conflicts: await openConflicts(tx),
    held: await tx.db.$count(sync_held),
    refused: await refusedUnseen(tx, 'own'),
    refusedBelow: await refusedUnseen(tx, 'below'),
    children: (await computersBelow(tx)).length,
    place: parent ? parents.indexOf(parent) + 1 : 0,
    altered: course?.obstacle === 'altered' ? 1 : 0,
    older: course?.obstacle === 'parent_older' ? 1 : 0,
    ...comparedIn(parents, tx.nowMs),
    lastContact: parent?.last_seen_at ? Date.parse(parent.last_seen_at) / 1_000 : 0,
    state: stateOf(parent, course, waiting),
  }
}

function comparedIn(parents: Parameters<typeof comparisonOf>[0], nowMs: number): Pick<Figures, 'differing' | 'compared'> {
  const { compared_at, difference } = comparisonOf(parents, nowMs)
  const open = difference?.healed_at === null ? difference.tables.length : 0
  return { differing: open, compared: compared_at ? Date.parse(compared_at) / 1_000 : 0 }
}

const STATES = ['alone', 'up_to_date', 'sending', 'offline', 'revoked', 'upgrade'] as const
/** Milliseconds. Metrics are also read while the database is in trouble; then the last figures are used. */
const PATIENCE = 1_000
/** Milliseconds for which figures are reused, so that one reading serves a whole page of metrics. */
const FRESH = 500

/** Registers the figures of replication at /metrics. */
export function watchReplication(services: Services): void {
  const { store, metrics, clock } = services
  const rows = { waiting: 0, files: 0, conflicts: 0, held: 0, refused: 0, refusedBelow: 0 }
  let last: Figures = { ...rows, children: 0, place: 0, altered: 0, older: 0, lastContact: 0, differing: 0, compared: 0, state: 'alone' }
  let asked = Number.NEGATIVE_INFINITY
  let asking: Promise<unknown> = Promise.resolve()
  const look = async () => {
    last = await store.read(asSystem(), (tx) => figuresOf(tx, services.replication?.course() ?? null))
  }
  const fresh = async (): Promise<Figures> => {
    if (clock.now() - asked >= FRESH) {
      asked = clock.now()
      asking = Promise.race([look().catch(() => {}), after(PATIENCE, undefined, { ref: false })])
    }
    await asking
    return last
  }
  const figure = (name: string, help: string, value: (figures: Figures) => number) => {
    const gauge: Gauge = new Gauge({
      name: `markbook_sync_${name}`,
      help,
      registers: [metrics.registry],
      collect: async () => gauge.set(value(await fresh())),
    })
  }
  figure('waiting_rows', 'Rows that the parent does not have yet', ({ waiting }) => waiting)
  figure('waiting_files', 'Files that are to go to the parent, or to come from it', ({ files }) => files)
  figure('open_conflicts', 'Conflicts that wait for a decision', ({ conflicts }) => conflicts)
  figure('held_rows', 'Rows that came and cannot be written yet', ({ held }) => held)
  figure('refused_writes', 'Writes of this node that its parent did not take, and that nobody has put aside', ({ refused }) => refused)
  figure(
    'refused_writes_below',
    'Writes of servers and laptops below that this node did not take, and that nobody has put aside',
    ({ refusedBelow }) => refusedBelow,
  )
  figure('children', 'Nodes that replicate with this one', ({ children }) => children)
  figure('parent_place', 'Which of its parents this node speaks with, counted from 1; 0 where it has none', ({ place }) => place)
  figure('reply_altered', '1 where there is no line since what came on it was not authentic', ({ altered }) => altered)
  figure('parent_older', '1 where nothing goes since the program of the parent is too old for this one', ({ older }) => older)
  figure('last_contact_timestamp_seconds', 'When the parent was last heard; 0 where there is none', ({ lastContact }) => lastContact)
  figure('differing_tables', 'Tables in which this node and its parent do not hold the same', ({ differing }) => differing)
  figure(
    'compared_timestamp_seconds',
    'When this node and its parent were last seen to hold the same; 0 where they never were',
    ({ compared }) => compared,
  )
  const state: Gauge = new Gauge({
    name: 'markbook_sync_state',
    help: '1 for the state that replication with the parent is in',
    labelNames: ['state'],
    registers: [metrics.registry],
    collect: async () => {
      const now = (await fresh()).state
      for (const each of STATES) state.set({ state: each }, each === now ? 1 : 0)
    },
  })
}
