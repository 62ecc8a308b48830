import { schoolFailures } from '@markbook/shared/contract/schools'
import { codeNamed, codesOfMarksToCome, type MarkCode, standardMarkCodes } from '@markbook/shared/domain/mark-codes'
import type { Row } from '@markbook/shared/tables/tables'
import { type AnyColumn, and, eq, isNotNull, or, type SQLWrapper, sql } from 'drizzle-orm'
import { rowsBy, statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

const storedCodes = rowsBy('school', { school: 'id' }, { columns: ['mark_codes'] })

/** The school's mark codes; the standard ones where it has not stored its own. */
export async function markCodesOf(tx: ReadTx, schoolId: string): Promise<readonly MarkCode[]> {
  const [school] = await storedCodes(tx, { school: schoolId })
  return school?.mark_codes ?? standardMarkCodes
}

/** The codes of marks still expected, for `isRecordedMark`: between spaces, since a code has only letters and digits. */
export const codesToComeOf = async (tx: ReadTx, schoolId: string): Promise<string> =>
  ` ${codesOfMarksToCome(await markCodesOf(tx, schoolId)).join(' ')} `

/** `isRecorded` of shared/domain as a condition. `toCome`: what `codesToComeOf` returns. */
export const isRecordedMark = ({ score, status }: { score: AnyColumn; status: AnyColumn }, toCome: SQLWrapper) =>
  or(isNotNull(score), and(isNotNull(status), sql`${toCome} not like '% ' || ${status} || ' %'`))

const statusesOf = statement<{ school: string }>()(({ db, t: { grade }, p }) =>
  db
    .selectDistinct({ status: grade.status })
    .from(grade)
    .where(and(eq(grade.school_id, p.school), isNotNull(grade.status))),
)

/** Throws 409 where a mark has a code that is removed or gets another effect, so that recorded marks keep their meaning. */
export async function demandCodesInUse(
  tx: ReadTx,
  { id, mark_codes }: Pick<Row<'school'>, 'id' | 'mark_codes'>,
  after: readonly MarkCode[] | null,
): Promise<void> {
  const changed = (mark_codes ?? standardMarkCodes).filter(
    ({ code, effect }) => codeNamed(after ?? standardMarkCodes, code)?.effect !== effect,
  )
  if (changed.length === 0) return
  const codes = changed.map(({ code }) => code)
  const used = (await statusesOf(tx, { school: id })).flatMap(({ status }) => (status !== null && codes.includes(status) ? [status] : []))
  if (used.length > 0) throw schoolFailures.codeInUse({ message: `Marks have the code ${used.sort().join(', ')}, so it stays as it is.` })
}
