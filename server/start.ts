import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import type { ServerType } from '@hono/node-server'
import { systemClock, toInstant } from '@markbook/shared/clock'
import type { DemoAccount } from '@markbook/shared/contract/demo'
import { idSource, inPortions } from '@markbook/shared/ids'
import { type App, createApp } from './app/app.ts'
import type { Cache } from './cache/cache.ts'
import { memoryCache } from './cache/memory.ts'
import { redisCache } from './cache/redis.ts'
import type { Config } from './config.ts'
import type { WorkerEntry } from './documents/workers/entry.ts'
import { openDocuments } from './documents/workers/open-documents.ts'
import { recordSecretFingerprint } from './features/auth/secret-fingerprint.ts'
import { openJobs } from './features/jobs/open-jobs.ts'
import { watchReplication } from './features/replication/figures.ts'
import { makeReportPdfs } from './features/reports/files/report-pdfs.job.ts'
import { scheduleSweeps } from './features/storage/sweep.ts'
import { enterInstance } from './files/instances.ts'
import { openStorage } from './files/open.ts'
import { checkHost } from './http/host-check.ts'
import { jsonLog, type Log } from './http/log.ts'
import { createMetrics, watchProcess, watchStore } from './http/metrics.ts'
import { overloadProtection } from './http/overload.ts'
import { ownHosts } from './http/own-hosts.ts'
import { safetyHeaders } from './http/safety-headers.ts'
import type { Services } from './http/services.ts'
import { keysOf } from './http/tokens.ts'
import { listen } from './lan/listener.ts'
import { type Presence, startPresence } from './lan/presence.ts'
import { removeNote, writeNote } from './lan/running-note.ts'
import { openTls, type Secured } from './lan/tls.ts'
import { consoleMailer } from './mail/console.ts'
import { smtpMailer } from './mail/smtp.ts'
import { isLoopback, urlOf } from './network/addresses.ts'
import { watchAudits } from './replication/audit/figures.ts'
import { scheduleAudits } from './replication/audit/schedule.ts'
import { scheduleForgetting } from './replication/downstream/tombstones.ts'
import { readWipeNote } from './replication/identity/wipe-note.ts'
import { startReplication } from './replication/replication.ts'
import { keepReportingErased } from './replication/upstream/erased.ts'
import { backUpBeforeMigration, rememberOwner } from './store/backup/place.ts'
import { scheduleBackups } from './store/backup/schedule.ts'
import { watchPages } from './store/soundness/watch.ts'
import { openCentralStore, openSchoolStore, type Store } from './store/store.ts'
import { version } from './version.ts'

/** Everything but the network: the services of a configuration and the app over them. */
export type Node = { app: App; services: Services; close(): Promise<void> }

const clock = systemClock

/** `beside`: while the server of this database may be running (see `StoreOptions`). */
export function openStore(config: Omit<Config, 'sessionSecret'>, { beside = false }: { beside?: boolean } = {}): Promise<Store> {
  const newId = idSource(clock.now, inPortions(randomBytes))
  const beforeMigration = () => backUpBeforeMigration(config)
  return config.databaseUrl
    ? openCentralStore(config.databaseUrl, { clock, newId, role: 'centre', beforeMigration, beside })
    : openSchoolStore(config.dataDir, { clock, newId, role: 'school', beforeMigration, beside })
}

/** Keys bear the node's id: what was cached before a restore is not of this database (docs/design/backup.md). */
const openCache = async ({ redisUrl }: Config, { nodeId }: Store, key: Buffer, log: Log): Promise<Cache> =>
  redisUrl
    ? redisCache({ driver: await import('@redis/client'), url: redisUrl, key, log, prefix: `markbook:cache:${nodeId}:` })
    : memoryCache({ clock })

/**
 * `beside`: for a verb of the command line while the server may be running; its mail and its cache are its own. `demo`: whom a newcomer
 * may be, in a demonstration. `print`: where mails go while there is no SMTP server, in place of the console. `documentWorker`: what makes
 * documents, in place of the program's own.
 */
type NodeOptions = { beside?: boolean; demo?: readonly DemoAccount[]; print?: (text: string) => void; documentWorker?: WorkerEntry }

export async function openNode(
  config: Config,
  { beside = false, demo = [], print, documentWorker: entry }: NodeOptions = {},
): Promise<Node> {
  const log = jsonLog(config.logLevel)
  const store = await openStore(config, { beside })
  const keys = keysOf(config.sessionSecret)
  const cache = await openCache(config, store, keys.cache, log)
  const mailer = config.smtpUrl
    ? smtpMailer({ url: config.smtpUrl, from: config.mailFrom, clock, log })
    : consoleMailer({ clock, ...(print && { print }) })
  const { files, uploads } = await openStorage(config, clock, (line) =>
    log.error({ reason: line }, 'files cannot be stored or read until their S3 answers'),
  )
  const own = {
    store,
    clock,
    config,
    keys,
    cache,
    mailer,
    files,
    uploads,
    documents: openDocuments(entry && { entry }),
    log,
    metrics: createMetrics(),
    replication: null,
    presence: null,
    wiped: config.role === 'school' ? readWipeNote(config.dataDir) : null,
    demo,
  }
  const services: Services = { ...own, jobs: openJobs(own, { report_pdfs: makeReportPdfs }) }
  watchStore(services.metrics, store)
  watchProcess(services.metrics)
  watchReplication(services)
  watchAudits(services)
  const close = async () => {
    await services.jobs.stop()
    await services.documents.close()
    await mailer.close()
    await files.close()
    await cache.close()
    await store.close()
  }
  return { app: createApp(services), services, close }
}

/**
 * A server that listens. `url` is where this machine reaches it. `notes` are what an operator should know, in sentences. `stop`
 * finishes what is in flight, at most `DRAIN` ms, then closes the database.
 */
export type Running = {
  node: Node
  port: number
  url: string
  notes: readonly string[]
  presence: Presence
  /** Resolves where this is a laptop that its school has erased: it is to be stopped, and its next start erases it (sync/SPEC.md, «Wiping»). */
  wiped: Promise<void>
  stop(): Promise<void>
}

const DRAIN = 10_000

/** Throws where the port is taken, the database or certificate cannot be used, or another server holds the folder. */
export async function startServer(config: Config, options: Omit<NodeOptions, 'beside'> = {}): Promise<Running> {
  const node = await openNode(config, options)
  let instance: Awaited<ReturnType<typeof enterInstance>> | null = null
  try {
    if (config.role === 'centre') instance = await enterInstance(node.services.store, config, hostname())
    const { store, keys, log } = node.services
    await recordSecretFingerprint(store, keys, { log, hasOthers: instance?.hasOthers ?? false })
    const secured = await openTls(config, clock)
    const isOwnHost = ownHosts(config, () => secured?.names() ?? [])
    const server = await listen(node.app, config, secured?.pair ?? null, {
      protection: overloadProtection(node.services),
      onlyFor: (listener) => checkHost(node.services, isOwnHost, listener),
      headers: safetyHeaders(config),
    })
    const { port } = server.address() as AddressInfo
    const { id: databaseId } = await rememberOwner(config)
    const url = urlHere(config, secured, port)
    const started_at = toInstant(clock.now())
    const noteWhere = () => {
      const { presence } = node.services
      const found = { urls: presence?.urls() ?? [], duplicates: presence?.duplicates?.() ?? [], namesakes: presence?.namesakes?.() ?? [] }
      const [urls, duplicates, namesakes] = [[...found.urls], [...found.duplicates], [...found.namesakes]]
      writeNote(config.dataDir, { pid: process.pid, url, urls, duplicates, namesakes, version, started_at })
    }
    // Several instances of a centre have one database.
    const database = config.role === 'school' ? databaseId : null
    const presence = await startPresence({ server, port, config, secured, log: node.services.log, database }, { changed: noteWhere })
    node.services.presence = presence
    noteWhere()
    node.services.jobs.look()
    const { registry } = node.services.metrics
    const backups = config.backups ? scheduleBackups({ ...config, ...node.services, databaseId, registry }) : null
    const pages = config.role === 'school' ? watchPages({ ...config, ...node.services, registry }) : null
    const sweeps = scheduleSweeps(node.services)
    const forgetting = scheduleForgetting(node.services)
    const audits = scheduleAudits(node.services)
    // A central node serves its children and has no parent of its own.
    if (config.role === 'school') node.services.replication = await startReplication(node.services)
    const lastWord = keepReportingErased(node.services)
    const stop = async () => {
      void lastWord.stop()
      await node.services.replication?.stop()
      await presence.stop()
      await backups?.stop()
      await pages?.stop()
      await sweeps.stop()
      await forgetting.stop()
      await audits.stop()
      // Whoever follows a job is let go, and the job is left to the next start.
      await node.services.jobs.stop()
      await drain(server)
      await instance?.stop()
      await node.close()
      removeNote(config.dataDir, process.pid)
    }
    const wiped = node.services.replication?.wiped ?? new Promise<void>(() => {})
    return { node, port, url, notes: secured?.notes ?? [], presence, wiped, stop }
  } catch (error) {
    await instance?.stop()
    await node.close()
    throw error
  }
}

/** On every interface includes this machine's own. */
function urlHere({ host }: Config, secured: Secured | null, port: number): string {
  const isHere = host === '0.0.0.0' || host === '::' || isLoopback(host)
  return urlOf(secured ? 'https' : 'http', isHere ? 'localhost' : host, port)
}

function drain(server: ServerType): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()))
  // A connection that is kept alive becomes idle only once its answer has gone.
  const idle = setInterval(() => 'closeIdleConnections' in server && server.closeIdleConnections(), 50)
  const overdue = setTimeout(() => 'closeAllConnections' in server && server.closeAllConnections(), DRAIN)
  return ended.finally(() => {
    clearTimeout(overdue)
    clearInterval(idle)
  })
}
