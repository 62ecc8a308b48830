import { createHmac } from 'node:crypto'
import { limits } from '@markbook/shared/limits'
import { ConfigError } from '../../config.ts'
import type { Log } from '../../http/log.ts'
import type { Keys } from '../../http/tokens.ts'
import { rowsBy } from '../../store/statement.ts'
import type { Store } from '../../store/store.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'

const USE = 'sign-in'

/** Identifies a secret without disclosing it. */
const fingerprintOf = ({ otp }: Keys): string => createHmac('sha256', otp).update('markbook:mark').digest('hex').slice(0, 16)

const fingerprintByUse = rowsBy('server_secret', { use: 'use' })

/**
 * Stores the fingerprint of the server's secret, so that the command line can check that it has the same one. Throws where other servers of
 * this database run with another secret: what one of them signed or sealed would be refused by the other.
 */
export async function recordSecretFingerprint(
  store: Store,
  keys: Keys,
  { log, hasOthers }: { log: Pick<Log, 'warn'>; hasOthers: boolean },
): Promise<void> {
  const mark = fingerprintOf(keys)
  const known = await store.read(asSystem(), (tx) => fingerprintByUse(tx, { use: USE }))
  if (known[0]?.mark === mark) return
  if (known[0] && hasOthers)
    throw new ConfigError(
      `Another server of this database works with another SESSION_SECRET; sessions and authenticator apps of the one would fail at the other. Give every server the same. To change it, stop all of them; one that was cut off counts for ${limits.instances.endedAfterMs / 1_000} s.`,
    )
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

export class OtherSecretError extends Error {}

/** Throws where the server that last opened this database has another secret, since it would refuse a code made with this one. */
export async function demandSameSecret(tx: ReadTx, keys: Keys): Promise<void> {
  const [known] = await fingerprintByUse(tx, { use: USE })
  if (known && known.mark !== fingerprintOf(keys))
    throw new OtherSecretError(
      'The server works with another SESSION_SECRET than this console. Run this where and as whom the server runs, with its settings.',
    )
}
