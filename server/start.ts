import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { type ServerType, serve } from '@hono/node-server'
import { systemClock } from '@markbook/shared/clock'
import { idSource } from '@markbook/shared/ids'
import type { Cache } from './cache/cache.ts'
import { memoryCache } from './cache/memory.ts'
import { redisCache } from './cache/redis.ts'
import type { Config } from './config.ts'
import { type App, createApp } from './http/app.ts'
import { jsonLog, type Log } from './http/log.ts'
import { createMetrics } from './http/metrics.ts'
import type { Services } from './http/services.ts'
import { keysOf } from './http/tokens.ts'
import { consoleMailer } from './mail/console.ts'
import { smtpMailer } from './mail/smtp.ts'
import { openCentralStore, openSchoolStore, type Store } from './store/store.ts'

/** Everything but the network: the services of a configuration and the app over them. */
export type Node = { app: App; services: Services; close(): Promise<void> }

const clock = systemClock

export function openStore(config: Config): Promise<Store> {
  const newId = idSource(clock.now, (size) => randomBytes(size))
  return config.databaseUrl
    ? openCentralStore(config.databaseUrl, { clock, newId, kind: 'centre' })
    : openSchoolStore(config.dataDir, { clock, newId, kind: 'school' })
}

const openCache = ({ redisUrl }: Config, log: Log): Cache => (redisUrl ? redisCache({ url: redisUrl, log }) : memoryCache({ clock }))

export async function openNode(config: Config): Promise<Node> {
  const log = jsonLog(config.logLevel)
  const store = await openStore(config)
  const cache = openCache(config, log)
  const mailer = config.smtpUrl ? smtpMailer({ url: config.smtpUrl, from: config.mailFrom, clock, log }) : consoleMailer({ clock })
  const services: Services = { store, clock, config, keys: keysOf(config.sessionSecret), cache, mailer, log, metrics: createMetrics() }
  const close = async () => {
    await mailer.close()
    await cache.close()
    await store.close()
  }
  return { app: createApp(services), services, close }
}

/** A server that listens. `stop` finishes what is in flight, at most `DRAIN` ms, then closes the database. */
export type Running = { node: Node; port: number; stop(): Promise<void> }

const DRAIN = 10_000

/** Throws where the port is taken, the database cannot be opened, or another server holds the folder. */
export async function startServer(config: Config): Promise<Running> {
  const node = await openNode(config)
  try {
    const server = await listen(node.app, config)
    const { port } = server.address() as AddressInfo
    return { node, port, stop: () => drain(server).then(node.close) }
  } catch (error) {
    await node.close()
    throw error
  }
}

const listen = (app: App, { host, port }: Config) =>
  new Promise<ServerType>((resolve, reject) => {
    const server = serve({ fetch: app.fetch, hostname: host, port }, () => resolve(server))
    server.once('error', reject)
  })

function drain(server: ServerType): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()))
  if ('closeIdleConnections' in server) server.closeIdleConnections()
  const overdue = setTimeout(() => 'closeAllConnections' in server && server.closeAllConnections(), DRAIN)
  return ended.finally(() => clearTimeout(overdue))
}
