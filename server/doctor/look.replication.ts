import type { Row } from '@markbook/shared/tables/tables'
import { and, eq, isNull, min } from 'drizzle-orm'
import { askServer } from '../asking.ts'
import type { Config } from '../config.ts'
import { comparedOf } from '../features/replication/difference.ts'
import { refusedUnseen } from '../features/replication/refused.ts'
import { waitingFor } from '../features/replication/status.ts'
import { parentsOf } from '../peers/enrolment.ts'
import { openStore } from '../start.ts'
import { asSystem, type ReadTx } from '../store/tx.ts'
import type { ParentFound, ReplicationFound } from './check.replication.ts'

type Stored = Omit<ReplicationFound, 'parent'> & { parent: Omit<ParentFound, 'answers' | 'state'> | null }

/** Null where the database cannot be opened beside its server; its own check says why. `state`: as the running server says it. */
export async function lookAtReplication(config: Omit<Config, 'sessionSecret'>, state: string | null): Promise<ReplicationFound | null> {
  const store = await openStore(config, { beside: true }).catch(() => null)
  if (!store) return null
  const { parent, ...rest } = await store.read(asSystem(), readFound).finally(() => store.close())
  if (!parent) return { ...rest, parent: null }
  const answers = (await askServer(parent.url, '/healthz')) !== null
  return { ...rest, parent: { ...parent, answers, state: state === 'alone' ? null : (state as ParentFound['state']) } }
}

async function readFound(tx: ReadTx): Promise<Stored> {
  const { sync_conflict, sync_held, sync_peer } = tx.t
  const parents = await parentsOf(tx)
  const [parent = null] = parents
  const children: Row<'sync_peer'>[] = await tx.db
    .select()
    .from(sync_peer)
    .where(and(eq(sync_peer.side, 'child'), isNull(sync_peer.revoked_at)))
  const open = eq(sync_conflict.status, 'open')
  const [firstConflict] = await tx.db
    .select({ at: min(sync_conflict.hlc) })
    .from(sync_conflict)
    .where(open)
  const [firstHeld] = await tx.db.select({ at: min(sync_held.since) }).from(sync_held)
  const oldest = firstConflict?.at
  return {
    now: tx.nowMs,
    parent: parent && (await parentFound(tx, parents, parent)),
    conflicts: { open: await tx.db.$count(sync_conflict, open), oldest: oldest === null || oldest === undefined ? null : Number(oldest) },
    held: { rows: await tx.db.$count(sync_held), oldest: momentOf(firstHeld?.at ?? null) },
    refused: await refusedUnseen(tx, 'own'),
    refusedBelow: await refusedUnseen(tx, 'below'),
    children: {
      count: children.length,
      silent: children.map(({ last_seen_at, enrolled_at }) => tx.nowMs - Date.parse(last_seen_at ?? enrolled_at)),
    },
  }
}

async function parentFound(tx: ReadTx, parents: readonly Row<'sync_peer'>[], parent: Row<'sync_peer'>): Promise<Stored['parent']> {
  const { rows, oldest } = await waitingFor(tx, parent)
  const { difference } = comparedOf(parents, tx.nowMs)
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
