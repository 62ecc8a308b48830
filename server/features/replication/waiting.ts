import { toInstant } from '@markbook/shared/clock'
import type { WaitingRow } from '@markbook/shared/contract/replication'
import { limits } from '@markbook/shared/limits'
import type { Description } from '@markbook/shared/tables/describe'
import { descriptions } from '@markbook/shared/tables/tables'
import { compareStamps, type Stamp, sameDot, textToVersions } from '@markbook/sync/versions'
import { and, asc, eq } from 'drizzle-orm'
import type { Course } from '../../peers/course.ts'
import { rowsById } from '../../store/replica/states.ts'
import type { ReadTx } from '../../store/tx.ts'
import { namesOf } from './naming.ts'
import { maximaOf } from './past.ts'
import { peopleNamed } from './people.ts'
import { parentOf } from './replication.queries.ts'
import { isWaitingFor } from './status.ts'

type Asked = { entity?: string | undefined; assessmentId?: string | undefined }

/** What the parent of a school's server does not have yet, in the order of the feed, at most `limits.sync.waiting`; nothing without a parent. */
export async function waitingOf(tx: ReadTx, school: string, { entity, assessmentId }: Asked, course: Course | null): Promise<WaitingRow[]> {
  const parent = await parentOf(tx, school, course)
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
  const written = rows.map(({ table_name, row_id, ...stored }) => ({ entity: table_name, row_id, ...lastWriteOf(stored) }))
  const named = await peopleNamed(
    tx,
    written.map(({ last }) => last?.[3] ?? null),
  )
  const where = await namesOf(tx, school, written)
  const value = await valuesOf(tx, school, written)
  const maximum = await maximaOf(tx, school, written)
  return written.map(({ last, units, ...row }) => ({
    ...row,
    where: where(row),
    value: value({ ...row, units }),
    out_of: maximum(row),
    at: toInstant(last?.[2] ?? 0),
    actor: named(last?.[3] ?? null),
  }))
}

/** The last write of a row, and the units that were written by it. */
function lastWriteOf(stored: { vv: string; units: string }): { last: Stamp | undefined; units: string[] } {
  const stamps = Object.entries(textToVersions(stored).units).sort(([, a], [, b]) => compareStamps(a, b))
  const last = stamps.at(-1)?.[1]
  return { last, units: last ? stamps.flatMap(([unit, stamp]) => (sameDot(stamp, last) ? [unit] : [])) : [] }
}

type Written = { entity: string; row_id: string; units: readonly string[] }

/** What the last write of each row wrote, of marks alone: of others the kind and the name say more than a column would. */
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
