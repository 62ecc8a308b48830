import type { ImportUndo } from '@markbook/shared/contract/imports'
import type { Row } from '@markbook/shared/tables/tables'
import { lockedRows } from '../../store/replica/states.ts'
import type { Change, WriteTx } from '../../store/tx.ts'
import { isAsWritten } from '../history/history.policy.ts'
import { rowsWritten } from './imports.queries.ts'

export type Entry = Row<'history'>
export type Kept = ImportUndo['rows'][number]

/** What is undone of an import, by the action on each row, and what stays. A pupil's places are deleted with the pupil. */
export type Undoing = {
  removed: { student: Row<'student'>[]; enrolment: Row<'enrolment'>[]; grade: Row<'grade'>[] }
  restored: { student: Change<'student'>[]; grade: Change<'grade'>[] }
  kept: Kept[]
}

export const nothingYet = (): Undoing => ({
  removed: { student: [], enrolment: [], grade: [] },
  restored: { student: [], grade: [] },
  kept: [],
})

/** Whether a row is as the import wrote it, and was not deleted and created again since. */
export const isOfImport = (entry: Entry, row: Readonly<Record<string, unknown>>): boolean =>
  isAsWritten(entry, row) && (entry.action !== 'create' || !('created_at' in row) || row['created_at'] === entry.at)

/** The present rows of these entries, by id, locked; deleted ones are absent. */
export async function rowsNow<T extends 'student' | 'enrolment' | 'grade'>(
  tx: WriteTx,
  table: T,
  school: string,
  entries: readonly Entry[],
): Promise<Map<string, Row<T>>> {
  const ids = entries.filter(({ entity }) => entity === table).map(({ row_id }) => row_id)
  if (ids.length === 0) return new Map()
  await lockedRows(tx, table, school, ids)
  const rows = await rowsWritten[table](tx, { school, ids: JSON.stringify(ids) })
  return new Map(rows.map((row) => [row.id, row]))
}
