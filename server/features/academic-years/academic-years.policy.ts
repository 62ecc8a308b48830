import type { Row } from '@markbook/shared/tables/tables'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

const register = rowsBy('active_year', { school: 'school_id' }, { lock: true })

/** The register that names the school's active year; undefined where there was never an active one. Locked where the transaction writes. */
export async function activeYearOf(tx: ReadTx, school: string): Promise<Row<'active_year'> | undefined> {
  const [row] = await register(tx, { school })
  return row
}

/** The classes of a year; locked where the transaction writes. */
export const classesOfYear = rowsBy('student_group', { school: 'school_id', year: 'academic_year_id' }, { lock: true })
