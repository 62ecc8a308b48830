import { eq } from 'drizzle-orm'
import { statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

const placeOfAddress = statement<{ email: string }>()(({ db, t: { user_profile, school_management }, p }) =>
  db
    .select({ id: school_management.id })
    .from(user_profile)
    .innerJoin(school_management, eq(school_management.user_id, user_profile.id))
    .where(eq(user_profile.email, p.email))
    .limit(1),
)

/**
 * Whether an address, in its normal form, is known here: that of somebody with a place in a school. An account alone is not enough, because
 * whoever owns a domain makes any number of accounts. No answer may tell it.
 */
export const isKnownHere = async (tx: ReadTx, email: string): Promise<boolean> => (await placeOfAddress(tx, { email })).length > 0
