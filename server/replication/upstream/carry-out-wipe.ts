import { and, eq, isNull, notInArray, or } from 'drizzle-orm'
import type { Services } from '../../http/services.ts'
import { closeForGood } from '../../store/close-for-good.ts'
import type { Peer } from '../../store/peer-row.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'
import { WRONG } from '../files/queue.ts'
import { transferFiles } from '../files/transfer.ts'
import { peerById } from '../identity/enrolment.ts'
import { trustedAuthority } from '../identity/trust.ts'
import { writeWipeNote } from '../identity/wipe-note.ts'
import { type Carrier, LineFailure, type ParentLine } from '../line/parent-line.ts'
import type { Child } from './child.ts'
import { reportErased } from './erased.ts'
import { pendingRows } from './pending-rows.ts'

export type Session = { child: Child; line: ParentLine; carry: Carrier }

/**
 * Sends what the parent lacks, closes the database for writes, leaves a note by which the next start erases everything, and reports that to
 * the parent. Throws `LineFailure` where the line breaks before the close: then nothing has changed, and the next greeting begins it again.
 */
export async function carryOutWipe(services: Services, peerId: string, askedAt: string, { child, line, carry }: Session): Promise<void> {
  const close = () => closeWhereAllIsSent(services, peerId, askedAt, line)
  do {
    // The parent tells a laptop that is to be erased nothing more.
    while ((await child.push({ reads: false })).more);
    await transferFiles({ services, peerId, line })
  } while (!(await close()))
  // From here on the next start erases everything, whether the report succeeds now or not.
  await reportErased(services, carry).catch((error: unknown) =>
    services.log.error({ err: error }, 'what is erased could not be acknowledged'),
  )
}

/** In one transaction, so that nothing is acknowledged here and then erased. False where something was written meanwhile. */
async function closeWhereAllIsSent(
  { store, config }: Pick<Services, 'store' | 'config'>,
  peerId: string,
  askedAt: string,
  line: ParentLine,
): Promise<boolean> {
  return store.write(asSystem(), async (tx) => {
    const peer = (await peerById(tx, peerId)) as Peer
    const news = await pendingRows(tx, peer)
    if (news.to !== peer.own_seq || news.people !== peer.own_people) return false
    if ((await filesOnTheirWay(tx, peerId)) > 0) throw new LineFailure('line', 'Files are still to go there.')
    await closeForGood(tx)
    const lastWord = line.prepared('/sync/wiped', { asked_at: askedAt })
    const authority = trustedAuthority(config.dataDir)
    writeWipeNote(config.dataDir, { by: peer.name, asked_at: askedAt, at: tx.now, isErased: false, lastWord, authority })
    return true
  })
}

/**
 * How many files are still to be sent. Without those that the parent has refused for good: it has no such row, or the row names other
 * content.
 */
const filesOnTheirWay = ({ db, t: { sync_file: of } }: ReadTx, peerId: string): Promise<number> =>
  db.$count(of, and(eq(of.peer_id, peerId), eq(of.direction, 'up'), or(isNull(of.reason), notInArray(of.reason, ANSWERED))))
const ANSWERED = ['sync.file_unknown', 'sync.file_refused', 'sync.no_such_file', WRONG]
