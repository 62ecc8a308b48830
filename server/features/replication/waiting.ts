import { toInstant } from '@markbook/shared/clock'
import type { WaitingRow } from '@markbook/shared/contract/replication'
import { limits } from '@markbook/shared/limits'
import { compareStamps, type Stamp, textToVersions } from '@markbook/sync/versions'
import { and, asc, eq } from 'drizzle-orm'
import type { ReadTx } from '../../store/tx.ts'
import { namesOf } from './naming.ts'
import { parentOf, peopleNamed } from './replication.queries.ts'
import { isWaitingFor } from './status.ts'

type Asked = { entity?: string | undefined; assessmentId?: string | undefined }

/** What the parent of a school's server does not have yet, in the order of the feed, at most `limits.sync.waiting`; nothing without a parent. */
export async function waitingOf(tx: ReadTx, school: string, { entity, assessmentId }: Asked): Promise<WaitingRow[]> {
  const parent = await parentOf(tx, school)
  if (!parent || (assessmentId !== undefined && (entity ?? 'grade') !== 'grade')) return []
  const { sync_row, grade } = tx.t
  const known = entity === undefined ? undefined : eq(sync_row.table_name, entity)
  const columns = { table_name: sync_row.table_name, row_id: sync_row.row_id, vv: sync_row.vv, units: sync_row.units }
  const all = tx.db.select(columns).from(sync_row).$dynamic()
  const marks = and(eq(grade.school_id, sync_row.school_id), eq(grade.id, sync_row.row_id), eq(sync_row.table_name, 'grade'))
  const chosen = assessmentId === undefined ? all : all.innerJoin(grade, and(marks, eq(grade.assessment_id, assessmentId)))
  const rows = (await chosen
    .where(and(isWaitingFor(tx, parent), known))
    .orderBy(asc(sync_row.seq), asc(sync_row.table_name), asc(sync_row.row_id))
    .limit(limits.sync.waiting)) as { table_name: string; row_id: string; vv: string; units: string }[]
  const written = rows.map(({ table_name, row_id, ...stored }) => ({ entity: table_name, row_id, last: lastWriteOf(stored) }))
  const named = await peopleNamed(
    tx,
    written.map(({ last }) => last?.[3] ?? null),
  )
  const where = await namesOf(tx, school, written)
  return written.map(({ last, ...row }) => ({ ...row, where: where(row), at: toInstant(last?.[2] ?? 0), actor: named(last?.[3] ?? null) }))
}

const lastWriteOf = (stored: { vv: string; units: string }): Stamp | undefined =>
  Object.values(textToVersions(stored).units).sort(compareStamps).at(-1)
