import { replication, replicationFailures } from '@markbook/shared/contract/replication'
import type { RefusedWrite, SyncNode, WaitingFile } from '@markbook/shared/contract/replication.rows'
import { common } from '@markbook/shared/failures'
import type { Resolution } from '@markbook/shared/tables/replication'
import type { Row } from '@markbook/shared/tables/tables'
import { and, eq } from 'drizzle-orm'
import { type Handler, type HandlerContext, type Handlers, on, onEvents, onGuard } from '../../http/handler.ts'
import type { Services } from '../../http/services.ts'
import { demandMayJoin, joinByHand } from '../../replication/exchange/join-by-hand.ts'
import { invite, peerHeld } from '../../replication/identity/enrolment.ts'
import { renamePeer, revokePeer } from '../../replication/identity/nodes.ts'
import { askWipe } from '../../replication/identity/wipe.ts'
import { type MaySeeStudent, personalDataSeenBy, seenValues } from '../../replication/scope/personal-data.ts'
import { laptopOwner } from '../../store/laptop.ts'
import { asSystem, asUser, type ReadTx } from '../../store/tx.ts'
import { rowOf } from '../policy.ts'
import { reportOf } from '../reports/reports.policy.ts'
import { pdfsOfBook } from '../reports/reports.queries.ts'
import { membershipOf } from '../schools/schools.policy.ts'
import { type ConflictGroup, groupsOf, type OverruledGroup } from './conflict-groups.ts'
import { carryOut, type DecidingContext, type Decision, demandMayDecide, mayDecide, named, presentRow } from './decide.ts'
import { holdingsOf, NOTHING_HELD } from './holdings.ts'
import { canBeEntered, putAside, refusedById, refusedOf, writeOf } from './refused.ts'
import { conflictsWhere, heldOf, nodesOf, shownConflicts } from './replication.queries.ts'
import { followStatus, statusOf } from './status.ts'
import { waitingOf } from './waiting.ts'
import { missingPapers, waitingFilesOf } from './waiting-files.ts'

type Conflict = Row<'sync_conflict'>
type Asking = { tx: ReadTx; caller: { user_id: string; role: string; school_id: string } }

/**
 * The conflicts that concern the caller, and which of them they may decide: all for administrators, else those of rows that they may
 * write, and their own writes.
 */
async function ownConflicts(context: Asking, conflicts: readonly Conflict[]) {
  const { role, user_id } = context.caller
  const known = new Map<string, boolean>()
  const keyOf = ({ entity, row_id, value }: Conflict) => `${entity}:${row_id}:${value === null}`
  for (const conflict of role === 'admin' ? [] : conflicts)
    if (!known.has(keyOf(conflict))) known.set(keyOf(conflict), await mayDecide(context as DecidingContext, conflict))
  const isTheirs = (conflict: Conflict) => role === 'admin' || known.get(keyOf(conflict)) === true
  return { conflicts: conflicts.filter((each) => isTheirs(each) || each.actor_id === user_id), mayDecide: isTheirs }
}

type ShownConflict = Awaited<ReturnType<typeof shownConflicts>>[number]
const seenConflicts = (sees: MaySeeStudent, shown: readonly ShownConflict[]) =>
  shown.map((one) => {
    const seen = <V extends ShownConflict['kept']>(values: V) => seenValues(sees, one.entity, one.row_id, values)
    return { ...one, kept: seen(one.kept), current: seen(one.current), before: seen(one.before) }
  })

/** A laptop holds only what its owner may read. */
const seesAllRefused = async ({ tx, caller }: Asking): Promise<boolean> =>
  caller.role === 'admin' || (await laptopOwner(tx)) === caller.user_id

/** A refused write that the caller sees in the list. */
async function refusedSeen({ tx, caller }: Asking, id: string): Promise<Row<'sync_refused'>> {
  const [refusal] = await refusedById(tx, { school: caller.school_id, id })
  if (!refusal || !(refusal.actor_id === caller.user_id || (await seesAllRefused({ tx, caller })))) throw common.notFound()
  return refusal
}

async function peerOf({ tx, caller }: HandlerContext<typeof replication.rename>, id: string): Promise<Row<'sync_peer'>> {
  const peer = await peerHeld(tx, id)
  if (peer?.school_id !== caller.school_id) throw common.notFound()
  return peer
}

async function shownNode(tx: ReadTx, school: string, { id }: Row<'sync_peer'>): Promise<SyncNode> {
  const shown = (await nodesOf(tx, school)).find((node) => node.id === id)
  if (!shown) throw common.notFound()
  return shown
}

const hereOf = ({ store, config }: Pick<Services, 'store' | 'config'>) => ({ id: store.nodeId, name: config.nodeName })

/** A record and those that are decided with it, locked in one order, whichever was named. */
async function groupOf({ tx, caller }: DecidingContext, id: string): Promise<ConflictGroup> {
  const { sync_conflict: of } = tx.t
  const [asked] = await conflictsWhere(tx, caller.school_id, eq(of.id, id))
  if (!asked) throw common.notFound()
  const near = await conflictsWhere(tx, caller.school_id, and(eq(of.entity, asked.entity), eq(of.row_id, asked.row_id)))
  const records: Conflict[] = []
  for (const each of near.map((record) => record.id).sort()) {
    const record = await tx.find('sync_conflict', caller.school_id, each)
    if (record) records.push(record)
  }
  const group = groupsOf(records).find((each) => each.some((record) => record.id === id))
  if (!group) throw common.notFound()
  return group
}

/** The decision for one of the records: a typed value may cover only some of the units. */
function resolutionOf({ value: kept }: Conflict, { choice, value }: Decision): Resolution {
  const typed = value ? named(value, Object.keys(kept ?? {})) : null
  return typed && Object.keys(typed).length === 0 ? { choice: 'current', value: null } : { choice, value: typed }
}

type Decided = { resolved: Conflict[]; sees: MaySeeStudent }
const deciding: Handler<typeof replication.resolve, ConflictGroup, unknown, Decided> = {
  kind: 'transaction',
  as: 'user',
  load: async (context, { params }) => {
    const group = await groupOf(context, params.id)
    await demandMayDecide(context, group[0])
    return group
  },
  run: async (context, { body }, group) => {
    const { tx, caller } = context
    if (group[0].status === 'resolved' && !body.again) throw replicationFailures.cannotResolve()
    await carryOut(context, group, body)
    const changes = group.map((before) => {
      const resolution = resolutionOf(before, body)
      return { before, patch: { status: 'resolved' as const, resolved_at: tx.now, resolved_by: caller.user_id, resolution } }
    })
    return { resolved: await tx.update('sync_conflict', changes), sees: await personalDataSeenBy(context) }
  },
  // Reads the result after the commit, when the write has its stamp and author.
  finish: ({ resolved, sees }, services) =>
    services.store.read(asSystem(), async (tx) => {
      const school = resolved[0]?.school_id as string
      const shownAll = await shownConflicts(tx, school, resolved, { here: hereOf(services), mayDecide: () => true })
      const [shown] = seenConflicts(sees, shownAll)
      return shown as NonNullable<typeof shown>
    }),
}

const waitingFiles: Handler<typeof replication.files, Row<'report_book'> | null, unknown, Papers> = {
  kind: 'transaction',
  as: 'system',
  load: async (context, { targets: { reportId } }) => (reportId === undefined ? null : reportOf(context, reportId)),
  run: async ({ tx, caller: { school_id }, services }, { query }, book) => ({
    listed: await waitingFilesOf(tx, school_id, courseOf(services), query.reportId),
    papers: book ? await pdfsOfBook(tx, { school: school_id, book: book.id }) : [],
  }),
  // Reads the storage after the transaction.
  finish: async ({ listed, papers }, { files }) => [...listed, ...(await missingPapers(files, papers, listed))],
}
type Papers = { listed: WaitingFile[]; papers: Row<'report_book_pdf'>[] }

const joining: Handler<typeof replication.join, unknown, unknown, ToJoin> = {
  kind: 'transaction',
  as: 'system',
  load: async ({ tx, caller }) => {
    const owner = await laptopOwner(tx)
    if (owner === null ? caller.role !== 'admin' : caller.user_id !== owner) throw common.forbidden()
  },
  run: async ({ tx, caller, services }, { body }) => {
    const here = { role: services.config.role, course: courseOf(services) }
    const { invitation: code, fingerprint } = body
    return { code, fingerprint, ...(await demandMayJoin(tx, here, body.address)), school: caller.school_id }
  },
  // Calls the other server after the transaction.
  finish: async ({ kind, school, ...typed }, services) => {
    const url = await joinByHand(services, typed, kind)
    const nodes = await services.store.read(asSystem(), (tx) => nodesOf(tx, school))
    const parent = nodes.find((node) => node.side === 'parent' && node.url === url && node.revoked_at === null)
    if (!parent) throw replicationFailures.notLetIn()
    return parent
  },
}
type ToJoin = Awaited<ReturnType<typeof demandMayJoin>> & { code: string; fingerprint?: string | undefined; school: string }

const courseOf = ({ replication: running }: Pick<Services, 'replication'>) => running?.course() ?? null

// Only the service may read nodes, so most of this runs as the service, for the caller's own school only.
export const replicationHandlers: Handlers<typeof replication> = {
  status: onGuard(
    replication.status,
    ({ tx, caller, services }) => statusOf(tx, caller.school_id, courseOf(services), services.config.role),
    'system',
  ),

  events: onEvents(replication.events, {
    load: async ({ caller: { user_id, school_id } }) => ({ userId: user_id, school: school_id }),
    follow: followStatus,
  }),

  holdings: onGuard(
    replication.holdings,
    async ({ tx, caller, services }) => ((await laptopOwner(tx)) === caller.user_id ? holdingsOf(tx, courseOf(services)) : NOTHING_HELD),
    'system',
  ),

  conflicts: onGuard(
    replication.conflicts,
    async (context, { query }) => {
      const { tx, caller, services } = context
      const rows = await conflictsWhere(tx, caller.school_id, query.status && eq(tx.t.sync_conflict.status, query.status))
      const { conflicts, mayDecide } = await ownConflicts(context, rows)
      const shown = await shownConflicts(tx, caller.school_id, conflicts, { here: hereOf(services), mayDecide })
      return seenConflicts(await personalDataSeenBy(context), shown)
    },
    'system',
  ),

  resolve: deciding,

  waiting: on(replication.waiting, {
    as: 'system',
    load: async (context, { targets: { assessmentId } }) => assessmentId && (await rowOf(context, 'assessment', assessmentId)),
    run: ({ tx, caller, services }, { query }) => waitingOf(tx, caller.school_id, query, courseOf(services)),
  }),

  files: waitingFiles,

  held: onGuard(replication.held, ({ tx, caller }) => heldOf(tx, caller.school_id), 'system'),

  refused: onGuard(
    replication.refused,
    async (context) => {
      const { tx, caller } = context
      const seesAll = await seesAllRefused(context)
      const may = ([write]: OverruledGroup) => caller.role === 'admin' || mayDecide(context as DecidingContext, write)
      const refused = await refusedOf(tx, caller.school_id, { of: seesAll ? null : caller.user_id, seesAll, may })
      const sees = await personalDataSeenBy({ tx, caller })
      return refused.map((each) => {
        const seen = <V extends RefusedWrite['value']>(values: V) => seenValues(sees, each.entity, each.row_id, values)
        return { ...each, value: seen(each.value), current: seen(each.current) }
      })
    },
    'system',
  ),

  seen: on(replication.seen, {
    as: 'system',
    load: (context, { params }) => refusedSeen(context, params.id),
    run: async ({ tx }, _asked, refusal) => {
      await putAside(tx, refusal)
      return { message: 'It is put aside.' }
    },
  }),

  enter: on(replication.enter, {
    as: 'system',
    load: async (context, { params }) => {
      const { tx, caller } = context
      const refusal = await refusedSeen(context, params.id)
      const write = await writeOf(tx, refusal)
      // The list is the service's; the row is written as the person.
      await tx.actAs(asUser(caller.user_id))
      await demandMayDecide(context, write[0])
      return { refusal, write }
    },
    run: async (context, _asked, { refusal, write }) => {
      const { tx, caller } = context
      if (!canBeEntered(write, refusal.code, await presentRow(context, write[0]))) throw replicationFailures.cannotResolve()
      await carryOut(context, write, { choice: 'kept' })
      await tx.actAs(asSystem(caller.user_id))
      await putAside(tx, refusal)
      return { message: 'It is entered.' }
    },
  }),

  join: joining,

  nodes: onGuard(replication.nodes, ({ tx, caller }) => nodesOf(tx, caller.school_id), 'system'),

  invite: on(replication.invite, {
    as: 'system',
    load: async ({ tx, caller }, { targets: { userId } }) => {
      if (userId === undefined) return
      const [member] = await membershipOf(tx, { school: caller.school_id, user: userId })
      if (!member) throw common.notFound()
    },
    run: ({ tx, caller }, { body: { kind, userId } }) => {
      if (kind === 'laptop' && userId === undefined) throw replicationFailures.notALaptopUser()
      return invite(tx, { kind, schoolId: caller.school_id, userId: kind === 'laptop' ? (userId ?? null) : null, by: caller.user_id })
    },
  }),

  rename: on(replication.rename, {
    as: 'system',
    load: (context, { params }) => peerOf(context, params.id),
    run: async ({ tx, caller }, { body }, peer) => {
      await renamePeer(tx, peer, body.name ?? peer.name)
      return shownNode(tx, caller.school_id, peer)
    },
  }),

  wipe: on(replication.wipe, {
    as: 'system',
    load: (context, { params }) => peerOf(context as never, params.id),
    run: async ({ tx, caller }, _asked, peer) => {
      await askWipe(tx, peer)
      return shownNode(tx, caller.school_id, peer)
    },
  }),

  revoke: on(replication.revoke, {
    as: 'system',
    load: (context, { params }) => peerOf(context as never, params.id),
    run: async ({ tx, services, after }, _asked, peer) => {
      await revokePeer(tx, peer)
      if (peer.side === 'parent') after(() => services.replication?.refresh())
      return { message: peer.side === 'parent' ? `This server has left ${peer.name}.` : `${peer.name} was revoked.` }
    },
  }),
}
