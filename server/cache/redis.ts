import { createHmac } from 'node:crypto'
import type { Logger } from 'pino'
import { isSameSecret } from '../store/encryption.ts'
import { type Cache, jsonOf, pack, type Stamp, unpack, unpackText } from './cache.ts'

/** The driver, which only a server with a Redis loads: it is large. */
type RedisDriver = Pick<typeof import('@redis/client'), 'createClient' | 'ErrorReply'>

export type RedisOptions = {
  driver: RedisDriver
  /** REDIS_URL. */
  url: string
  /** Entries are signed with it. */
  key: Buffer
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
  return { run, close }
}

/** The signature of an entry stands before it, so that whoever can write to Redis can neither make an entry nor move one to another key. */
function signatures(key: Buffer) {
  const sign = (name: string, packed: string) => createHmac('sha256', key).update(`${name}\n${packed}`).digest('base64url')
  return {
    signed: (name: string, packed: string) => `${sign(name, packed)}\n${packed}`,
    /** Undefined where the signature is not ours. */
    opened(name: string, stored: string | null | undefined): string | undefined {
      const end = stored?.indexOf('\n') ?? -1
      if (!stored || end < 0) return undefined
      const packed = stored.slice(end + 1)
      return isSameSecret(Buffer.from(stored.slice(0, end)), Buffer.from(sign(name, packed))) ? packed : undefined
    },
  }
}

/**
 * The cache that the instances of a central deployment share. A Redis that is unavailable, slow or broken is a cache without entries: reads
 * are misses, writes are lost, and one line is logged when it goes and one when it is back. What another wrote there is a miss.
 */
export function redisCache(options: RedisOptions): Cache {
  const prefix = options.prefix ?? 'markbook:cache:'
  const { run, close } = connect(options)
  const { signed, opened } = signatures(options.key)
  const read = async (key: string) => opened(prefix + key, await run((client) => client.get(prefix + key)))
  const setText = async (key: string, json: string, ttlMs: number, stamp: Stamp) => {
    const stored = signed(prefix + key, pack(json, stamp))
    await run((client) => client.set(prefix + key, stored, { expiration: { type: 'PX', value: ttlMs } }))
  }
  return {
    get: async (key, stamp) => unpack(await read(key), stamp),
    set: (key, value, ttlMs, stamp) => setText(key, jsonOf(value), ttlMs, stamp),
    getText: async (key, stamp) => unpackText(await read(key), stamp),
    setText,
    close: async () => close(),
  }
}
