import { toInstant } from '@markbook/shared/clock'
import type { Replicated, Row } from '@markbook/shared/tables/tables'
import { descriptions } from '@markbook/shared/tables/tables'
import { isSame } from '@markbook/sync/merge/state'
import type { Stamp } from '@markbook/sync/versions'
import { rowsById } from '../../store/replica/states.ts'
import type { ReadTx } from '../../store/tx.ts'
import { type Entry, entriesNear, formerRows } from './former.ts'

type Conflict = Row<'sync_conflict'>
type Stored = Readonly<Record<string, unknown>>
/** A conflict, the present row, and the stamp of the write that stands. */
type ConflictContext = { conflict: Conflict; row: Stored | undefined; standing: Stamp | undefined }

/** The values before both writes of a conflict, by column, as far as the local history has them; else null. */
export async function valuesBeforeBoth(
  tx: ReadTx,
  school: string,
  met: readonly ConflictContext[],
): Promise<(conflictId: string) => Stored | null> {
  const values = met.filter(({ conflict, row }) => conflict.kind === 'value' && conflict.value !== null && row !== undefined)
  const near = values.map(({ conflict: { entity, row_id }, row }) => row?.[descriptions[entity as Replicated]?.near ?? 'id'] ?? row_id)
  const rows = JSON.stringify(values.map(({ conflict }) => conflict.row_id))
  const entries: Entry[] = values.length === 0 ? [] : await entriesNear(tx, { school, rows, near: JSON.stringify(near) })
  const found = new Map(values.map(({ conflict, row, standing }) => [conflict.id, beforeOf({ conflict, row, standing }, entries)] as const))
  return (id) => found.get(id) ?? null
}

/** Follows the writes of one side after the other's: the `before` of the first. */
function beforeOf({ conflict, row, standing }: ConflictContext, entries: readonly Entry[]): Stored | null {
  const kept = conflict.value as Stored
  const columns = Object.keys(kept)
  const own = entries.filter(({ row_id, changes }) => row_id === conflict.row_id && columns.some((column) => column in changes))
  const side = (node: string | undefined, value: Stored, other: number): Stored | null => {
    const written = own.filter(({ node_id }) => node_id === node)
    const holds = ({ changes }: Entry) => columns.every((column) => !(column in changes) || isSame(changes[column]?.after, value[column]))
    let at = written.findLastIndex(holds)
    if (at < 0) return null
    while (at > 0 && (written[at - 1] as Entry).at > toInstant(other)) at -= 1
    const { changes } = written[at] as Entry
    return Object.fromEntries(columns.map((column) => [column, column in changes ? (changes[column]?.before ?? null) : value[column]]))
  }
  return side(conflict.node_id, kept, standing?.[2] ?? 0) ?? side(standing?.[0], row ?? {}, conflict.hlc)
}

/** The maximum of each mark, by the mark's id; for a deleted or refused mark as far as it is known. */
export async function maximaOf(
  tx: ReadTx,
  school: string,
  rows: readonly { entity: string; row_id: string }[],
): Promise<(row: { entity: string; row_id: string }) => number | null> {
  const ids = rows.flatMap(({ entity, row_id }) => (entity === 'grade' ? [row_id] : []))
  if (ids.length === 0) return () => null
  const present = (await rowsById(tx, 'grade', school, ids)) as Row<'grade'>[]
  const missing = [...new Set(ids)].filter((id) => !present.some((grade) => grade.id === id))
  const former = [...(await formerRows(tx, school, 'grade', missing))].map(([id, { assessment_id }]) => ({ id, assessment_id }))
  const grades = [...present, ...former].flatMap(({ id, assessment_id }) =>
    typeof assessment_id === 'string' ? [{ id, assessment_id }] : [],
  )
  const assessments = (await rowsById(tx, 'assessment', school, [
    ...new Set(grades.map(({ assessment_id }) => assessment_id)),
  ])) as Row<'assessment'>[]
  const maximum = new Map(assessments.map(({ id, max_score }) => [id, max_score]))
  const byGradeId = new Map(grades.map(({ id, assessment_id }) => [id, maximum.get(assessment_id) ?? null]))
  return ({ entity, row_id }) => (entity === 'grade' ? (byGradeId.get(row_id) ?? null) : null)
}
