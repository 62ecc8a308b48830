import { limits } from '@markbook/shared/limits'
import type { Logger } from 'pino'
import { type Cache, jsonOf, pack, type Stamp, unpack } from './cache.ts'

/** The driver, which only a server with a Redis loads: it is large. */
type RedisDriver = Pick<typeof import('@redis/client'), 'createClient' | 'ErrorReply'>

export type RedisOptions = {
  driver: RedisDriver
  /** REDIS_URL. */
  url: string
  log: Pick<Logger, 'info' | 'warn'>
  /** Stands before every key, so that several services can share a Redis. */
  prefix?: string
  /** Longest wait for an answer in milliseconds; after it the request goes on without the cache. */
  timeoutMs?: number
}

const openClient = ({ createClient }: RedisDriver, url: string) =>
  createClient({
    url,
    disableOfflineQueue: true,
    commandsQueueMaxLength: 10_000,
    pingInterval: 10_000,
    socket: {
      connectTimeout: 2_000,
      socketTimeout: 30_000,
      reconnectStrategy: (retries) => Math.min(100 * 2 ** Math.min(retries, 10), 10_000),
    },
  })

type Client = ReturnType<typeof openClient>

async function deleteAll(client: Client, prefix: string): Promise<void> {
  const pattern = `${prefix.replace(/[\\*?[\]]/g, '\\$&')}*`
  for await (const keys of client.scanIterator({ MATCH: pattern, COUNT: 1_000 })) if (keys.length > 0) await client.unlink(keys)
}

async function limited<T>(work: () => Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('late')), timeoutMs)
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Runs commands with a time limit. While Redis is unavailable, one command at a time probes it, and all others fail at once. */
function connect({ driver, url, log, timeoutMs = 250 }: RedisOptions) {
  const client = openClient(driver, url)
  let isUnavailable = false
  let isProbing = false
  let isClosed = false
  const refusals = new Set<string>()

  /** Redis answers, but will not do this: full, read-only, no permission. Each kind is logged once. */
  const noteRefusal = (error: Error) => {
    const code = error.message.split(' ', 1)[0] ?? ''
    if (refusals.has(code)) return
    refusals.add(code)
    log.warn({ code }, 'the shared cache refuses a command; going on without it')
  }

  const setUnavailable = (unavailable: boolean) => {
    if (unavailable === isUnavailable || isClosed) return
    isUnavailable = unavailable
    if (unavailable) log.warn({}, 'the shared cache does not answer; going on without it')
    else log.info({}, 'the shared cache answers again')
  }

  /** undefined when Redis did not answer in time, or refused. */
  const run = async <T>(work: (client: Client) => Promise<T>): Promise<T | undefined> => {
    if (!client.isReady || (isUnavailable && isProbing)) return undefined
    isProbing = true
    try {
      const answer = await limited(() => work(client), timeoutMs)
      setUnavailable(false)
      return answer
    } catch (error) {
      if (error instanceof driver.ErrorReply) noteRefusal(error)
      else setUnavailable(true)
      return undefined
    } finally {
      isProbing = false
    }
  }

  const close = () => {
    isClosed = true
    if (client.isOpen) client.destroy()
  }

  client.on('error', () => setUnavailable(true))
  client.on('ready', () => setUnavailable(false))
  client.connect().catch(() => setUnavailable(true))
  return { client, run, close }
}

type Connection = ReturnType<typeof connect>

/** The keys whose entry in Redis may be out of date, because a write or delete of this instance did not arrive. */
function trackUndelivered({ client, run }: Connection, prefix: string) {
  const keys = new Set<string>()
  let overflows = 0
  let overflowsCleared = 0
  let isRetrying = false

  const deliver = async () => {
    const seen = overflows
    if (seen > overflowsCleared) await deleteAll(client, prefix)
    overflowsCleared = seen
    for (const key of keys) {
      if ((await run(() => client.unlink(prefix + key))) === undefined) return
      keys.delete(key)
    }
  }

  return {
    has: (key: string) => overflows > overflowsCleared || keys.has(key),
    note(key: string, isDelivered: boolean) {
      if (isDelivered) keys.delete(key)
      else if (keys.size < limits.cache.entries) keys.add(key)
      else overflows += 1
    },
    async retry() {
      if (isRetrying || !client.isReady || (keys.size === 0 && overflows === overflowsCleared)) return
      isRetrying = true
      // A connection that breaks meanwhile leaves the rest for the next time.
      await deliver().catch(() => {})
      isRetrying = false
    },
  }
}

/**
 * The cache that the instances of a central deployment share. A Redis that is unavailable, slow or broken is a cache without entries: reads
 * are misses, writes are lost, and one line is logged when it goes and one when it is back.
 *
 * A write or delete that could not be delivered is remembered, and the key deleted as soon as Redis answers; until then this instance
 * does not read it. Other instances cannot know of it: what may not be stale is read with a stamp (see Cache).
 */
export function redisCache(options: RedisOptions): Cache {
  const prefix = options.prefix ?? 'markbook:cache:'
  const connection = connect(options)
  const undelivered = trackUndelivered(connection, prefix)
  connection.client.on('ready', () => void undelivered.retry())

  const remove = async (key: string) => undelivered.note(key, (await connection.run((client) => client.unlink(prefix + key))) !== undefined)

  const get = async <T>(key: string, stamp?: Stamp) => {
    const wasUndelivered = undelivered.has(key)
    const stored = await connection.run((client) => client.get(prefix + key))
    if (stored === undefined) return undefined
    void undelivered.retry()
    return wasUndelivered || undelivered.has(key) ? undefined : unpack<T>(stored, stamp)
  }
  const setText = async (key: string, json: string, ttlMs: number, stamp?: Stamp) => {
    if (!(ttlMs > 0)) return remove(key)
    const expiration = { type: 'PX', value: Math.ceil(ttlMs) } as const
    undelivered.note(key, (await connection.run((client) => client.set(prefix + key, pack(json, stamp), { expiration }))) !== undefined)
  }

  return {
    get,
    set: (key, value, ttlMs, stamp) => setText(key, jsonOf(value), ttlMs, stamp),
    // Read as a value all the same: others write there too, and what is no JSON must not go out.
    async getText(key, stamp) {
      const value = await get(key, stamp)
      return value === undefined ? undefined : JSON.stringify(value)
    },
    setText,
    delete: remove,
    async close() {
      await limited(undelivered.retry, options.timeoutMs ?? 250).catch(() => {})
      connection.close()
    },
  }
}
