import type { ImportReport } from '@markbook/shared/contract/imports'
import type { Issue } from '@markbook/shared/failures'
import { fault } from './faults.ts'

export type ReportRow = ImportReport['rows'][number]

/** Issues of the whole table, reported at its heading: `errors` prevent a real run, `notes` do not. */
export type Heading = { errors: readonly Issue[]; notes: readonly Issue[] }

const HEADING_ROW = 1

function headingRow({ errors, notes }: Heading): ReportRow[] {
  if (errors.length + notes.length === 0) return []
  return [{ row: HEADING_ROW, action: errors.length > 0 ? 'error' : 'unchanged', issues: [...errors, ...notes] }]
}

/** The planned report; a real run adds the `id`. */
export type PlannedReport = Omit<ImportReport, 'id'>

/** The report of an import. The heading counts as a row only where it has errors. */
export function reportOf(rows: readonly ReportRow[], heading: Heading): PlannedReport {
  const count = (action: ReportRow['action']) => rows.filter((row) => row.action === action).length
  return {
    rows: [...headingRow(heading), ...rows],
    created: count('create'),
    updated: count('update'),
    unchanged: count('unchanged'),
    errors: count('error') + (heading.errors.length > 0 ? 1 : 0),
  }
}

/** Notes about columns that were not read, so that a misspelt heading is noticed. */
export const unreadColumns = (heads: readonly string[]): Issue[] => heads.map((head) => fault(head, 'not_read'))
