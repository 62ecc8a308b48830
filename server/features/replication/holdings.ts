import type { LaptopHoldings } from '@markbook/shared/contract/replication.rows'
import { eq } from 'drizzle-orm'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import { membershipOf } from '../../replication/scope/scope.ts'
import type { UpstreamStatus } from '../../replication/upstream/upstream-status.ts'
import type { ReadTx } from '../../store/tx.ts'
import { counted } from './ago.ts'

export const NOTHING_HELD: LaptopHoldings = { why: null, school: null, pupils: 0, marks: 0, as_of: null }

/**
 * What remains on a laptop that was revoked, or whose person no longer works at the school by its last information; `why` is null on every
 * other node. `as_of`: when the laptop last reached its school, so all its data is at least as old.
 */
export async function holdingsOf(tx: ReadTx, course: UpstreamStatus | null): Promise<LaptopHoldings> {
  const [parent] = await parentsOf(tx)
  if (!parent?.user_id || !parent.school_id) return NOTHING_HELD
  const [place] = await membershipOf(tx, { school: parent.school_id, user: parent.user_id })
  const isStaff = place?.is_active === true && place.role !== 'member'
  const why = course?.notice === 'revoked' ? 'revoked' : place && !isStaff ? 'dismissed' : null
  if (!why) return NOTHING_HELD
  const { student, grade, school } = tx.t
  const [named] = await tx.db.select({ name: school.name }).from(school).where(eq(school.id, parent.school_id))
  return {
    why,
    school: named?.name ?? parent.name,
    pupils: await tx.db.$count(student, eq(student.school_id, parent.school_id)),
    marks: await tx.db.$count(grade, eq(grade.school_id, parent.school_id)),
    as_of: parent.last_seen_at,
  }
}

/** The sentence for the command line and the page; empty where there is nothing to report. */
export function heldSentence({ why, school, pupils, marks, as_of }: LaptopHoldings): string {
  if (!why) return ''
  const what = `${counted(pupils, 'pupil')} and ${counted(marks, 'mark')} of ${school}`
  const when = as_of ? `, as they were on ${as_of.slice(0, 10)} at the latest` : ''
  const whose = why === 'dismissed' ? ` Whoever this laptop belongs to does not work at ${school} any more.` : ''
  return `${whose} This laptop still holds ${what}${when}. If that is a mistake, ask there for a new code; else let them erase it from there (markbook node wipe), and start it once where it reaches them.`
}
