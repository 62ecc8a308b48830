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

/** What a handler may use besides its transaction. Created once at the start. */
export type Services = {
  store: Store
  clock: Clock
  config: Config
  keys: Keys
  cache: Cache
  mailer: Mailer
  files: ObjectStorage
  /** Stores resumable uploads until they are complete. */
  uploads: Uploads
  documents: Documents
  jobs: Jobs
  /** Replication with this node's parent; null where none runs in this process. */
  replication: Replication | null
  /** The URLs of this process; null where it does not listen. */
  presence: { urls(): readonly string[]; duplicates?(): readonly string[]; namesakes?(): readonly string[] } | null
  /** What was erased here by order of a school before this folder began anew; null where nothing was. */
  wiped: WipeNote | null
  /** The accounts of a demonstration, as whom a visitor may sign in; else empty (docs/design/server.md). */
  demo: readonly DemoAccount[]
  log: Log
  metrics: Metrics
}
