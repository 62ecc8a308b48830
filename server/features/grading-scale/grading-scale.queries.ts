import { defaultGradingScale, type GradingScale } from '@markbook/shared/domain/letters'
import { eq } from 'drizzle-orm'
import { statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

/** The stored scale, to be written; locked, so only an administrator finds it. */
export const storedScale = statement<{ school: string }>({ lock: 'grading_scale' })(({ db, t, p }) =>
  db.select().from(t.grading_scale).where(eq(t.grading_scale.school_id, p.school)),
)

/** The stored scale, to be read: also by a teacher who is writing grades. */
const readableScale = statement<{ school: string }>()(({ db, t, p }) =>
  db.select().from(t.grading_scale).where(eq(t.grading_scale.school_id, p.school)),
)

/** The scale that the school reads its letters from; the default one where it has not written its own (decisions §4). */
export async function gradingScaleOf(tx: ReadTx, schoolId: string): Promise<GradingScale> {
  const [row] = await readableScale(tx, { school: schoolId })
  return row ? { passMark: row.pass_mark, bands: row.bands } : defaultGradingScale
}
