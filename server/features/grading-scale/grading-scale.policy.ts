import { defaultGradingScale, type GradingScale } from '@markbook/shared/domain/letters'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

/** The stored scale, to be written; locked, so only an administrator finds it. */
export const storedScale = rowsBy('grading_scale', { school: 'school_id' }, { lock: true })

/** The stored scale, to be read: also by a teacher who is writing grades. */
const readableScale = rowsBy('grading_scale', { school: 'school_id' })

/** The scale that the school reads its letters from; the default one where it has not written its own (decisions §4). */
export async function gradingScaleOf(tx: ReadTx, schoolId: string): Promise<GradingScale> {
  const [row] = await readableScale(tx, { school: schoolId })
  return row ? { passMark: row.pass_mark, bands: row.bands } : defaultGradingScale
}
