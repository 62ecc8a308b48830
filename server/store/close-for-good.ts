import type { WriteTx } from './tx.ts'

/** The message of the error with which SQLite then refuses a write (`errors.ts`). */
export const CLOSED = 'this database is closed for good'

/**
 * Makes this database refuse every write to a school's rows from this commit on, by any process, since each such transaction draws a
 * number of the feed. SQLite only.
 */
export const closeForGood = (tx: WriteTx): Promise<void> =>
  tx.connection.run(
    `create trigger if not exists closed_for_good before insert on sync_feed begin select raise(abort, '${CLOSED}'); end`,
    [],
  )
