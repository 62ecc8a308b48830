import { toInstant } from '@markbook/shared/clock'
import type { WaitingRow } from '@markbook/shared/contract/replication.rows'
import { limits } from '@markbook/shared/limits'
import type { Description } from '@markbook/shared/tables/describe'
import { descriptions, type Row } from '@markbook/shared/tables/tables'
import { compareStamps, type Stamp, sameDot, textToVersions } from '@markbook/sync/versions'
import { and, asc, eq } from 'drizzle-orm'
import type { UpstreamStatus } from '../../replication/upstream/upstream-status.ts'
import { rowsById } from '../../store/replica/states.ts'
import type { ReadTx } from '../../store/tx.ts'
import { namesOf } from './naming.ts'
import { maximaOf } from './past.ts'
import { peopleNamed } from './people.ts'
import { parentOf } from './replication.queries.ts'
import { isWaitingFor } from './status.ts'

type WaitingFilter = { entity?: string | undefined; assessmentId?: string | undefined }

/**
 * The rows that the parent of a school's server does not have yet, in the order of the feed, at most `limits.sync.listedRows`; empty
 * without a parent.
 */
export async function waitingOf(
  tx: ReadTx,
  school: string,
  { entity, assessmentId }: WaitingFilter,
  course: UpstreamStatus | null,
): Promise<WaitingRow[]> {
  const parent = await parentOf(tx, school, course)
  if (!parent || (assessmentId !== undefined && (entity ?? 'grade') !== 'grade')) return []
  const { sync_row, grade } = tx.t
  const known = entity === undefined ? undefined : eq(sync_row.table_name, entity)
  const { table_name, row_id, vv, units, deleted } = sync_row
  const columns = { table_name, row_id, vv, units, deleted }
  const all = tx.db.select(columns).from(sync_row).$dynamic()
  const marks = and(eq(grade.school_id, sync_row.school_id), eq(grade.id, sync_row.row_id), eq(sync_row.table_name, 'grade'))
  const chosen = assessmentId === undefined ? all : all.innerJoin(grade, and(marks, eq(grade.assessment_id, assessmentId)))
  const rows = (await chosen
    .where(and(isWaitingFor(tx, parent), known))
    .orderBy(asc(sync_row.seq), asc(sync_row.table_name), asc(sync_row.row_id))
    .limit(limits.sync.listedRows)) as Stored[]
  const found = await conflictsAmong(tx, school, rows)
  const written = rows.map((stored) => found.get(stored.row_id) ?? lastWriteOf(stored))
  const named = await peopleNamed(
    tx,
    school,
    written.map(({ last }) => last?.[3] ?? null),
  )
  const where = await namesOf(tx, school, written)
  const value = await valuesOf(tx, school, written)
  const maximum = await maximaOf(tx, school, written)
  return written.map(({ last, units, about, ...row }) => ({
    ...row,
    where: where(about ?? row),
    value: value({ ...row, units }),
    out_of: maximum(row),
    at: toInstant(last?.[2] ?? 0),
    actor: named(last?.[3] ?? null),
  }))
}

type Stored = { table_name: string; row_id: string; vv: string; units: string; deleted: boolean }
/** `units`: those of the last write. `about`: the row of a conflict. */
type Last = Written & { deleted: boolean; last: Stamp | undefined; about?: Pick<Written, 'entity' | 'row_id'> }

function lastWriteOf({ table_name, row_id, deleted, ...stored }: Stored): Last {
  const stamps = Object.entries(textToVersions(stored).units).sort(([, a], [, b]) => compareStamps(a, b))
  const last = stamps.at(-1)?.[1]
  const units = last ? stamps.flatMap(([unit, stamp]) => (sameDot(stamp, last) ? [unit] : [])) : []
  return { entity: table_name, row_id, deleted: Boolean(deleted), last, units }
}

/** Open conflicts. No node wrote such a record; its actor is the author of the kept value. */
async function conflictsAmong(tx: ReadTx, school: string, rows: readonly Stored[]): Promise<Map<string, Last>> {
  const ids = rows.flatMap(({ table_name, row_id }) => (table_name === CONFLICT ? [row_id] : []))
  const open = ((await rowsById(tx, CONFLICT, school, ids)) as Row<'sync_conflict'>[]).filter(({ status }) => status !== 'resolved')
  return new Map(
    open.map(({ id, entity, row_id, node_id, hlc, actor_id }) => {
      const last: Stamp = [node_id, 0, hlc, actor_id]
      return [id, { entity: CONFLICT, row_id: id, deleted: false, units: [], last, about: { entity, row_id } }]
    }),
  )
}
const CONFLICT = 'sync_conflict'

type Written = { entity: string; row_id: string; units: readonly string[] }

/** The values of each row's last write, for marks only: for other rows, kind and name are more useful. */
async function valuesOf(
  tx: ReadTx,
  school: string,
  written: readonly Written[],
): Promise<(row: Written) => Record<string, unknown> | null> {
  const ids = written.flatMap(({ entity, row_id }) => (entity === 'grade' ? [row_id] : []))
  const grades = new Map((ids.length === 0 ? [] : await rowsById(tx, 'grade', school, ids)).map((row) => [row.id, row]))
  const { units: columnsByUnit }: Description = descriptions.grade
  return ({ entity, row_id, units }) => {
    const row = entity === 'grade' ? grades.get(row_id) : undefined
    const columns = units.flatMap((unit) => columnsByUnit[unit] ?? [])
    return row ? Object.fromEntries(columns.map((column) => [column, row[column] ?? null])) : null
  }
}
