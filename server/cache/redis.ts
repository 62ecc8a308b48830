import { limits } from '@markbook/shared/limits'
import type { Logger } from 'pino'
import { type Cache, jsonOf, pack, type Stamp, unpack } from './cache.ts'

/** The driver, which only a server with a Redis loads: it is large. */
export type RedisDriver = Pick<typeof import('redis'), 'createClient' | 'ErrorReply'>

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

async function forgetAll(client: Client, prefix: string): Promise<void> {
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

/** Asks Redis with a time limit. While it is away, one question at a time tries it out and all others are answered at once. */
function openLine({ driver, url, log, timeoutMs = 250 }: RedisOptions) {
  const client = openClient(driver, url)
  let isAway = false
  let isTrying = false
  let isClosed = false
  const refusals = new Set<string>()

  /** Redis answers, but will not do this: full, read-only, no permission. Each kind is logged once. */
  const noteRefusal = (error: Error) => {
    const code = error.message.split(' ', 1)[0] ?? ''
    if (refusals.has(code)) return
    refusals.add(code)
    log.warn({ code }, 'the shared cache refuses a command; going on without it')
  }

  const setAway = (away: boolean) => {
    if (away === isAway || isClosed) return
    isAway = away
    if (away) log.warn({}, 'the shared cache does not answer; going on without it')
    else log.info({}, 'the shared cache answers again')
  }

  /** undefined when Redis did not answer in time, or refused. */
  const ask = async <T>(work: (client: Client) => Promise<T>): Promise<T | undefined> => {
    if (!client.isReady || (isAway && isTrying)) return undefined
    isTrying = true
    try {
      const answer = await limited(() => work(client), timeoutMs)
      setAway(false)
      return answer
    } catch (error) {
      if (error instanceof driver.ErrorReply) noteRefusal(error)
      else setAway(true)
      return undefined
    } finally {
      isTrying = false
    }
  }

  const close = () => {
    isClosed = true
    if (client.isOpen) client.destroy()
  }

  client.on('error', () => setAway(true))
  client.on('ready', () => setAway(false))
  client.connect().catch(() => setAway(true))
  return { client, ask, close }
}

type Line = ReturnType<typeof openLine>

/** The keys whose entry in Redis may be older than what was last said here, because a write or delete did not arrive. */
function openDebts({ client, ask }: Line, prefix: string) {
  const keys = new Set<string>()
  let overflows = 0
  let overflowsSettled = 0
  let isSettling = false

  const pay = async () => {
    const seen = overflows
    if (seen > overflowsSettled) await forgetAll(client, prefix)
    overflowsSettled = seen
    for (const key of keys) {
      if ((await ask(() => client.unlink(prefix + key))) === undefined) return
      keys.delete(key)
    }
  }

  return {
    has: (key: string) => overflows > overflowsSettled || keys.has(key),
    note(key: string, isDelivered: boolean) {
      if (isDelivered) keys.delete(key)
      else if (keys.size < limits.cache.entries) keys.add(key)
      else overflows += 1
    },
    async settle() {
      if (isSettling || !client.isReady || (keys.size === 0 && overflows === overflowsSettled)) return
      isSettling = true
      // A connection that breaks meanwhile leaves the rest for the next time.
      await pay().catch(() => {})
      isSettling = false
    },
  }
}

/**
 * The cache that the instances of a central deployment share. A Redis that is away, slow or broken is a cache without entries: reads
 * are misses, writes are lost, and one line is logged when it goes and one when it is back.
 *
 * A write or delete that could not be delivered is remembered, and the key deleted as soon as Redis answers; until then this instance
 * does not read it. Other instances cannot know of it: what may not be stale is read with a stamp (see Cache).
 */
export function redisCache(options: RedisOptions): Cache {
  const prefix = options.prefix ?? 'markbook:cache:'
  const line = openLine(options)
  const debts = openDebts(line, prefix)
  line.client.on('ready', () => void debts.settle())

  const remove = async (key: string) => debts.note(key, (await line.ask((client) => client.unlink(prefix + key))) !== undefined)

  const get = async <T>(key: string, stamp?: Stamp) => {
    const wasOwed = debts.has(key)
    const stored = await line.ask((client) => client.get(prefix + key))
    if (stored === undefined) return undefined
    void debts.settle()
    return wasOwed || debts.has(key) ? undefined : unpack<T>(stored, stamp)
  }
  const setText = async (key: string, json: string, ttlMs: number, stamp?: Stamp) => {
    if (!(ttlMs > 0)) return remove(key)
    const expiration = { type: 'PX', value: Math.ceil(ttlMs) } as const
    debts.note(key, (await line.ask((client) => client.set(prefix + key, pack(json, stamp), { expiration }))) !== undefined)
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
      await limited(debts.settle, options.timeoutMs ?? 250).catch(() => {})
      line.close()
    },
  }
}
