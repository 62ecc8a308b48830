import type { Clock } from '@markbook/shared/clock'
import type { DemoAccount } from '@markbook/shared/contract/demo'
import type { Cache } from '../cache/cache.ts'
import type { Config } from '../config.ts'
import type { Documents } from '../documents/documents.ts'
import type { Jobs } from '../features/jobs/jobs.ts'
import type { ObjectStorage } from '../files/storage.ts'
import type { Uploads } from '../files/uploads.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { WipeNote } from '../replication/identity/wipe-note.ts'
import type { Replication } from '../replication/upstream/upstream-status.ts'
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
  files: ObjectStorage
  /** Where resumable uploads are until they are whole. */
  uploads: Uploads
  documents: Documents
  jobs: Jobs
  /** With this node's parent; null where none runs in this process. */
  replication: Replication | null
  /** Where this process is reached; null where it does not listen. */
  presence: { urls(): readonly string[] } | null
  /** What was erased here at the request of a school, when this folder began anew with it; null where nothing was. */
  wiped: WipeNote | null
  /** Whom a newcomer may be, where this server was started as a demonstration; else nobody (docs/design/server.md). */
  demo: readonly DemoAccount[]
  log: Log
  metrics: Metrics
}
