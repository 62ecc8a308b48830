import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { ServerType } from '@hono/node-server'
import { systemClock, toInstant } from '@markbook/shared/clock'
import { idSource } from '@markbook/shared/ids'
import type { Cache } from './cache/cache.ts'
import { memoryCache } from './cache/memory.ts'
import { redisCache } from './cache/redis.ts'
import type { Config } from './config.ts'
import { leaveMark } from './features/outage/secret-mark.ts'
import { type App, createApp } from './http/app.ts'
import { jsonLog, type Log } from './http/log.ts'
import { createMetrics } from './http/metrics.ts'
import type { Services } from './http/services.ts'
import { keysOf } from './http/tokens.ts'
import { isLoopback, urlOf } from './lan/addresses.ts'
import { listen } from './lan/listener.ts'
import { keepPresent, type Presence } from './lan/presence.ts'
import { openTls, type Secured } from './lan/tls.ts'
import { consoleMailer } from './mail/console.ts'
import { smtpMailer } from './mail/smtp.ts'
import { leaveNote, removeNote } from './running.ts'
import { backUpBeforeMigration } from './store/backup/place.ts'
import { scheduleBackups } from './store/backup/schedule.ts'
import { openCentralStore, openSchoolStore, type Store } from './store/store.ts'
import { version } from './version.ts'

/** Everything but the network: the services of a configuration and the app over them. */
export type Node = { app: App; services: Services; close(): Promise<void> }

const clock = systemClock

/** `beside`: while the server of this database may be running (see `StoreOptions`). */
export function openStore(config: Config, { beside = false }: { beside?: boolean } = {}): Promise<Store> {
  const newId = idSource(clock.now, (size) => randomBytes(size))
  const beforeMigration = () => backUpBeforeMigration(config)
  return config.databaseUrl
    ? openCentralStore(config.databaseUrl, { clock, newId, kind: 'centre', beforeMigration, beside })
    : openSchoolStore(config.dataDir, { clock, newId, kind: 'school', beforeMigration, beside })
}

/** Keys bear the node's id: what was cached before a restore is not of this database (decision 202). */
const openCache = ({ redisUrl }: Config, { nodeId }: Store, log: Log): Cache =>
  redisUrl ? redisCache({ url: redisUrl, log, prefix: `markbook:cache:${nodeId}:` }) : memoryCache({ clock })

export async function openNode(config: Config): Promise<Node> {
  const log = jsonLog(config.logLevel)
  const store = await openStore(config)
  const keys = keysOf(config.sessionSecret)
  await leaveMark(store, keys, log)
  const cache = openCache(config, store, log)
  const mailer = config.smtpUrl ? smtpMailer({ url: config.smtpUrl, from: config.mailFrom, clock, log }) : consoleMailer({ clock })
  const services: Services = { store, clock, config, keys, cache, mailer, log, metrics: createMetrics() }
  const close = async () => {
    await mailer.close()
    await cache.close()
    await store.close()
  }
  return { app: createApp(services), services, close }
}

/**
 * A server that listens. `url` is where this machine reaches it. `notes` are what an operator should know, in sentences. `stop`
 * finishes what is in flight, at most `DRAIN` ms, then closes the database.
 */
export type Running = { node: Node; port: number; url: string; notes: readonly string[]; presence: Presence; stop(): Promise<void> }

const DRAIN = 10_000

/** Throws where the port is taken, the database or certificate cannot be used, or another server holds the folder. */
export async function startServer(config: Config): Promise<Running> {
  const node = await openNode(config)
  try {
    const secured = await openTls(config, clock)
    const server = await listen(node.app, config, secured?.pair ?? null)
    const { port } = server.address() as AddressInfo
    const presence = await keepPresent({ server, port, config, secured, log: node.services.log })
    const url = urlHere(config, secured, port)
    leaveNote(config.dataDir, { pid: process.pid, url, urls: [...presence.urls()], version, started_at: toInstant(clock.now()) })
    const backups = config.backups ? scheduleBackups({ ...config, ...node.services, registry: node.services.metrics.registry }) : null
    const stop = async () => {
      await presence.stop()
      await backups?.stop()
      await drain(server)
      await node.close()
      removeNote(config.dataDir, process.pid)
    }
    return { node, port, url, notes: secured?.notes ?? [], presence, stop }
  } catch (error) {
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
