import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import { eq, min } from 'drizzle-orm'
import type { Config } from '../../config.ts'
import { computersBelow, copiesAmong } from '../../features/replication/below.ts'
import { openConflicts } from '../../features/replication/conflict-groups.ts'
import { comparisonOf } from '../../features/replication/difference.ts'
import { refusedUnseen } from '../../features/replication/refused.ts'
import { waitingFor } from '../../features/replication/status.ts'
import { isInsecure } from '../../network/addresses.ts'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import { authorityFile, trustedAuthority } from '../../replication/identity/trust.ts'
import { troubleOf } from '../../replication/line/line-trouble.ts'
import { overNetwork } from '../../replication/line/network.ts'
import type { Obstacle } from '../../replication/upstream/upstream-status.ts'
import { openStore } from '../../start.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'
import { askServer } from '../ask-server.ts'
import { counted, lasting } from '../words.ts'
import { type Finding, findings, fine, notice, problem } from './finding.ts'
import type { Figures } from './server.ts'

/**
 * The parent of this server; `isLaptop`: this is somebody's laptop. `distrust`: why the parent's certificate is not accepted, null where it
 * is; `authority`: the path of the file with the trusted authority. `state`: from the metrics of the running server, null where none runs.
 * `oldest`: when the oldest waiting row was written; `clockOffset`: of this clock to the parent's. Times in ms.
 */
export type ParentFound = {
  kind: 'centre' | 'school'
  isLaptop: boolean
  url: string
  answers: boolean
  distrust: string | null
  authority: string
  state: 'up_to_date' | 'sending' | 'offline' | 'revoked' | 'upgrade' | null
  obstacle: Obstacle | null
  heard: number | null
  waiting: number
  oldest: number | null
  clockOffset: number | null
  /** The last difference that a comparison found, and when it was gone (`healed`, null while it lasts); null where there was none. */
  difference: { tables: string[]; found: number; healed: number | null } | null
}
/**
 * `refused`: writes of this server that its parent refused; `refusedBelow`: writes of its children that this server refused. `children`:
 * `silent` has for each child how long it has not been heard (ms); `copies` the two names of each child that runs twice.
 */
export type ReplicationFound = {
  now: number
  parent: ParentFound | null
  conflicts: { open: number; oldest: number | null }
  held: { rows: number; oldest: number | null }
  refused: number
  refusedBelow: number
  children: { count: number; silent: number[]; copies: readonly (readonly [string, string])[] }
}

const waits = (count: number, what: string) => `${counted(count, what)} ${count === 1 ? 'waits' : 'wait'}`
const oldestSince = (oldest: number | null, now: number) => (oldest === null ? '' : `, the oldest for ${lasting(now - oldest)}`)
const nodes = (count: number) => `${count} ${count === 1 ? 'server or laptop' : 'servers and laptops'}`

const SAFE = 'Nothing is lost: what was entered here is in this database, and goes up by itself when it can.'

/** No findings where this server has no parent, no children and no issues. */
export function checkReplication(found: ReplicationFound): Finding[] {
  const { parent, children, now } = found
  if (!parent && children.count === 0) return []
  const ofParent = parent ? [...ofLine(parent, now), ...ofDifference(parent, now), ...ofClock(parent), ...ofAddress(parent)] : []
  const troubles = [...ofParent, ...ofRows(found), ...ofCopies(children.copies), ...ofSilent(children)]
  return troubles.length > 0 ? troubles : fine('replication', allIsWell(found))
}

function allIsWell({ parent, children }: ReplicationFound): string {
  const joined = nodes(children.count)
  if (!parent) return `${joined} replicate${children.count === 1 ? 's' : ''} with this server.`
  const place = parent.kind === 'centre' ? 'the centre' : 'the school'
  if (parent.waiting > 0)
    return `${counted(parent.waiting, 'row')} of this server ${parent.waiting === 1 ? 'is on its' : 'are on their'} way to ${place}.`
  return `Everything is at ${place}.`
}

const nameOf = ({ kind, url }: ParentFound) => `${kind === 'centre' ? 'The centre' : 'The school’s server'} (${url})`

function ofLine(parent: ParentFound, now: number): Finding[] {
  const name = nameOf(parent)
  const { state, answers, waiting, oldest } = parent
  const silence = parent.heard === null ? Number.POSITIVE_INFINITY : now - parent.heard
  const since = parent.heard === null ? 'and never was' : `and was last heard ${lasting(silence)} ago`
  const rows = waiting > 0 ? ` ${waits(waiting, 'row')}${oldestSince(oldest, now)}.` : ''
  const safe = (tell: typeof problem, what: string, advice: string) => tell('replication', { what, means: SAFE, do: advice })
  if (state === 'revoked')
    return problem('replication', {
      what: `${name} has revoked this server, or does not know it.${rows}`,
      means: 'What is entered here stays here, and goes up once it has joined again.',
      do: `Ask there for a new code, and join again: markbook join ${parent.url} <code>${parent.isLaptop ? ' --laptop' : ''}`,
    })
  if (state === 'upgrade') return safe(problem, `This program is too old for ${name}.${rows}`, 'Install the newer one on this machine.')
  if (parent.obstacle === 'parent_older') {
    const advice = 'Install the newer one there. This server goes on by itself as soon as that is done.'
    return safe(problem, `The program of ${name} is too old for this one.${rows}`, advice)
  }
  if (parent.obstacle === 'altered') {
    const place = parent.kind === 'centre' ? 'centre' : 'school'
    const advice = `Look for a proxy on the way that changes what is sent. Where the ${place} has another address now, or lost its secret with its old machine, ask there for a new code, and join again: markbook join <address> <code>${parent.isLaptop ? ' --laptop' : ''}`
    return safe(
      problem,
      `What answers at ${parent.url} is not the server that this one has joined: nothing of it was taken.${rows}`,
      advice,
    )
  }
  if (parent.distrust !== null) {
    const advice = `Where its authority was made anew: bring the file .pem that markbook cert export writes there, put it in the place of ${parent.authority}. The line comes back by itself.`
    return safe(problem, `${name} answers, but there is no line to it. ${parent.distrust}${rows}`, advice)
  }
  if (!answers) {
    const advice = 'Look at the line of this machine. Where there is none for long, carry the marks: markbook sync export <file>'
    const tell = silence > limits.doctor.replication.parentSilentMs ? problem : notice
    return safe(tell, `${name} does not answer from here, ${since}.${rows}`, advice)
  }
  if (state === null) return []
  if (silence > limits.doctor.replication.stuckMs) {
    const advice = 'Say why it does not: markbook sync status; then start this server again.'
    return safe(problem, `${name} answers, ${since}, but the two do not replicate.${rows}`, advice)
  }
  if (oldest === null || now - oldest <= limits.doctor.replication.waitingMs) return []
  const what = `${waits(waiting, 'row')} for ${name}, the oldest for ${lasting(now - oldest)}, although it answers.`
  return safe(notice, what, 'Compare the two: markbook sync verify')
}

function ofDifference(parent: ParentFound, now: number): Finding[] {
  if (!parent.difference) return []
  const { tables, found, healed } = parent.difference
  const what = `${nameOf(parent)} and this server did not hold the same (${tables.join(', ')})`
  if (healed !== null)
    return notice('replication', {
      what: `${what}; it was found ${lasting(now - found)} ago, and is mended.`,
      means:
        'Both hold the same now. A database loses rows by itself only where its disk or its machine is ill, or a hand was in the file.',
      do: 'Look at the other lines of markbook doctor, and at the disk of both machines. It is told for two weeks.',
    })
  const tell = now - found > limits.doctor.replication.differentMs ? problem : notice
  return tell('replication', {
    what: `${what}, found ${lasting(now - found)} ago.`,
    means: 'What one of them lacks the other has. They merge everything again by themselves, at most once a day.',
    do: 'Where it stays: markbook sync verify says how many rows, markbook sync verify --repair merges at once. Keep a backup of both, and ask for help.',
  })
}

function ofClock({ clockOffset, kind }: ParentFound): Finding[] {
  if (clockOffset === null || Math.abs(clockOffset) <= limits.doctor.clockSlackMs) return []
  return notice('replication', {
    what: `The clock of this machine is ${lasting(clockOffset)} ${clockOffset > 0 ? 'ahead of' : 'behind'} that of ${kind === 'centre' ? 'the centre' : 'the school’s server'}.`,
    means: 'No mark is lost by it; of two that were entered at the same time the wrong one may count as the later.',
    do: 'Set the clock of the wrong machine right, and let the network keep it.',
  })
}

function ofAddress(parent: ParentFound): Finding[] {
  if (!isInsecure(parent.url)) return []
  return notice('replication', {
    what: `The line to ${nameOf(parent)} is insecure: plain http.`,
    means: 'Others on the network can read every mark and name that goes over it. What they change is noticed, and not taken.',
    do: `Give that server https (markbook start --lan at a school), and join its https address with a new code: markbook join <address> <code>${parent.isLaptop ? ' --laptop' : ''}`,
  })
}

function ofRows({ now, conflicts, held, refused, refusedBelow }: ReplicationFound): Finding[] {
  return findings(
    conflicts.open > 0 &&
      notice('replication', {
        what: `${waits(conflicts.open, 'conflict')} for a decision${oldestSince(conflicts.oldest, now)}.`,
        means: 'Two values were entered for one thing; the later counts, and the other is kept.',
        do: 'Let whoever may enter them decide, in the app under Sync, «Decide them»; or here: markbook issues list',
      }),
    held.oldest !== null &&
      now - held.oldest > limits.doctor.replication.heldMs &&
      notice('replication', {
        what: `${counted(held.rows, 'row')} that came from another server cannot be written, for ${lasting(now - held.oldest)}.`,
        means: 'They are kept whole and tried again; they are in nobody’s way.',
        do: 'Merge everything again: markbook sync verify --repair. Where they stay, make a backup and ask for help.',
      }),
    refused > 0 &&
      notice('replication', {
        what: `${counted(refused, 'write')} of this server ${refused === 1 ? 'was' : 'were'} not taken by the other side.`,
        means: 'What the other side has counts; what was not taken is kept here with its reason.',
        do: 'Let an administrator look, in the app under Sync, «Not taken by the other side», or here (markbook issues list), and enter again what should count.',
      }),
    refusedBelow > 0 &&
      notice('replication', {
        what: `${counted(refusedBelow, 'write')} of laptops, or of servers that joined this one, ${refusedBelow === 1 ? 'was' : 'were'} not taken here.`,
        means: 'What is here counts; what was not taken is kept here and there, with its reason.',
        do: 'Let an administrator look, in the app under Sync, at what was «Not taken from …», or here (markbook issues list), and put aside what is settled.',
      }),
  )
}

const ofCopies = (copies: readonly (readonly [string, string])[]): Finding[] =>
  copies.flatMap(([one, other]) =>
    notice('replication', {
      what: `${one} and ${other} were one computer, and both are heard: one is a copy.`,
      means: 'No mark is lost by it, for each has a name of its own by now. Somebody may work on a copy that should not be.',
      do: `Only you know which of the two that is. Shut out that one, and not both: markbook node revoke "${one}", or markbook node revoke "${other}"`,
    }),
  )

function ofSilent(children: ReplicationFound['children']): Finding[] {
  const long = children.silent.filter((silence) => silence > limits.doctor.replication.childSilentMs)
  if (long.length === 0) return []
  return notice('replication', {
    what: `${long.length} of ${nodes(children.count)} that joined this one ${long.length === 1 ? 'was' : 'were'} not heard for long, one for ${lasting(Math.max(...long))}.`,
    means: 'What was entered there and not sent is there alone.',
    do: 'See which (markbook node list) and bring them to a line; revoke those that are lost: markbook node revoke <name>',
  })
}

type Stored = Omit<ReplicationFound, 'parent'> & {
  parent: Omit<ParentFound, 'answers' | 'distrust' | 'authority' | 'state' | 'obstacle'> | null
}

/** Null where the database cannot be opened, which `checkDatabase` reports. */
export async function lookAtReplication(config: Omit<Config, 'sessionSecret'>, said: Figures): Promise<ReplicationFound | null> {
  const store = await openStore(config, { beside: true }).catch(() => null)
  if (!store) return null
  const { parent, ...rest } = await store.read(asSystem(), readFound).finally(() => store.close())
  if (!parent) return { ...rest, parent: null }
  const answers = (await askServer(parent.url, '/healthz')) !== null
  const state = said?.replication ?? null
  const line = { state: state === 'alone' ? null : (state as ParentFound['state']), obstacle: said?.obstacle ?? null }
  const distrust = answers ? await distrustOf(config.dataDir, parent.url) : null
  return { ...rest, parent: { ...parent, answers, distrust, authority: authorityFile(config.dataDir), ...line } }
}

/** Why the certificate at this address is not accepted; null where it is, or without https. */
export async function distrustOf(dataDir: string, url: string): Promise<string | null> {
  if (!url.startsWith('https:')) return null
  const carry = overNetwork(new AbortController().signal, () => trustedAuthority(dataDir))
  return carry(new Request(new URL('/healthz', url))).then(
    () => null,
    (error: unknown) => troubleOf(error, url),
  )
}

async function readFound(tx: ReadTx): Promise<Stored> {
  const { sync_conflict, sync_held } = tx.t
  const parents = await parentsOf(tx)
  const [parent = null] = parents
  const children = await computersBelow(tx)
  const open = eq(sync_conflict.status, 'open')
  const [firstConflict] = await tx.db
    .select({ at: min(sync_conflict.hlc) })
    .from(sync_conflict)
    .where(open)
  const oldest = firstConflict?.at ?? null
  const [firstHeld] = await tx.db.select({ at: min(sync_held.since) }).from(sync_held)
  return {
    now: tx.nowMs,
    parent: parent && (await parentFound(tx, parents, parent)),
    conflicts: { open: await openConflicts(tx), oldest: oldest === null ? null : Number(oldest) },
    held: { rows: await tx.db.$count(sync_held), oldest: momentOf(firstHeld?.at ?? null) },
    refused: await refusedUnseen(tx, 'own'),
    refusedBelow: await refusedUnseen(tx, 'below'),
    children: {
      count: children.length,
      silent: children.map(({ last_seen_at, enrolled_at }) => tx.nowMs - Date.parse(last_seen_at ?? enrolled_at)),
      copies: copiesAmong(children),
    },
  }
}

async function parentFound(tx: ReadTx, parents: readonly Row<'sync_peer'>[], parent: Row<'sync_peer'>): Promise<Stored['parent']> {
  const { rows, oldest } = await waitingFor(tx, parent)
  const { difference } = comparisonOf(parents, tx.nowMs)
  return {
    kind: parent.kind === 'centre' ? 'centre' : 'school',
    isLaptop: parent.user_id !== null,
    url: parent.url ?? '',
    heard: momentOf(parent.last_seen_at),
    waiting: rows,
    oldest: momentOf(oldest),
    clockOffset: parent.clock_offset,
    difference: difference && {
      tables: difference.tables.map(({ entity }) => entity),
      found: Date.parse(difference.found_at),
      healed: momentOf(difference.healed_at),
    },
  }
}

const momentOf = (instant: string | null): number | null => (instant === null ? null : Date.parse(instant))
