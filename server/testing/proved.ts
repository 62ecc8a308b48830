import { inArray } from 'drizzle-orm'
import { asSystem } from '../store/tx.ts'
import type { School } from './school.ts'

/** Gives all sessions of these people a fresh proof, for tests that let time pass and are about something else. */
export const proved = (st: Pick<School, 'services'>, ...people: readonly { id: string }[]): Promise<unknown> =>
  st.services.store.write(asSystem(), ({ local, t: { session }, now }) =>
    local
      .update(session)
      .set({ proved_at: now })
      .where(
        inArray(
          session.user_id,
          people.map(({ id }) => id),
        ),
      ),
  )
