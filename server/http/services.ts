import type { Clock } from '@markbook/shared/clock'
import type { Cache } from '../cache/cache.ts'
import type { Config } from '../config.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Store } from '../store/store.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { Keys } from './tokens.ts'

/** What a handler may use besides its transaction. Made once at the start. */
export type Services = {
  store: Store
  clock: Clock
  config: Config
  keys: Keys
  cache: Cache
  mailer: Mailer
  log: Log
  metrics: Metrics
}
