import type { WriteTx } from './tx.ts'

/** What SQLite says then (`errors.ts`). */
export const CLOSED = 'this database is closed for good'

/**
 * From the commit of this transaction on nothing of a school is written to this database, whichever process tries: each such transaction
 * draws a number of its feed. For SQLite alone.
 */
export const closeForGood = (tx: WriteTx): Promise<void> =>
  tx.connection.run(
    `create trigger if not exists closed_for_good before insert on sync_feed begin select raise(abort, '${CLOSED}'); end`,
    [],
  )
