import { createHmac } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { Log } from '../../http/log.ts'
import type { Keys } from '../../http/tokens.ts'
import { statement } from '../../store/statement.ts'
import type { Store } from '../../store/store.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'

const USE = 'sign-in'

/** Tells one secret from another and says nothing of it. */
const markOf = ({ otp }: Keys): string => createHmac('sha256', otp).update('markbook:mark').digest('hex').slice(0, 16)

const markById = statement<{ use: string }>()(({ db, t, p }) => db.select().from(t.server_secret).where(eq(t.server_secret.use, p.use)))

/** The server leaves the mark of its secret, so that the console can tell whether it works with the same one. */
export async function leaveMark(store: Store, keys: Keys, log: Pick<Log, 'warn'>): Promise<void> {
  const mark = markOf(keys)
  const known = await store.read(asSystem(), (tx) => markById(tx, { use: USE }))
  if (known[0]?.mark === mark) return
  if (known[0]) log.warn('the secret of this server has changed: sessions, authenticator apps and printed codes from before have ended')
  await store.write(asSystem(), async (tx) => {
    const { server_secret } = tx.t
    const seen = { mark, seen_at: tx.now }
    await tx.local
      .insert(server_secret)
      .values({ use: USE, ...seen })
      .onConflictDoUpdate({ target: server_secret.use, set: seen })
  })
}

/** Throws where the server that last opened this database works with another secret: it would not know a code made with this one. */
export async function demandSameSecret(tx: ReadTx, keys: Keys): Promise<void> {
  const [known] = await markById(tx, { use: USE })
  if (known && known.mark !== markOf(keys))
    throw new Error(
      'The server works with another SESSION_SECRET than this console. Run this where and as whom the server runs, with its settings.',
    )
}
