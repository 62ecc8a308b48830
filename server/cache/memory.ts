import type { Clock } from '@markbook/shared/clock'
import { limits } from '@markbook/shared/limits'
import { LRUCache } from 'lru-cache'
import { type Cache, jsonOf, pack, type Stamp, unpack, unpackText } from './cache.ts'

/** What an entry takes in memory, nearly: two bytes a character. */
const sizeCalculation = (value: string, key: string) => 2 * (value.length + key.length)

/** The cache of a node that stands alone: at most `entries` and limits.cache.bytes, the least recently used leaves first. */
export function memoryCache({ clock, entries: max = limits.cache.entries }: { clock: Clock; entries?: number }): Cache {
  // A resolution of 0 asks the clock every time; any other would keep an answer for a while of real time.
  const entries = new LRUCache<string, string>({
    max,
    maxSize: limits.cache.bytes,
    sizeCalculation,
    perf: clock,
    ttlResolution: 0,
  })
  const setText = async (key: string, json: string, ttl: number, stamp: Stamp) => void entries.set(key, pack(json, stamp), { ttl })
  return {
    get: async (key, stamp) => unpack(entries.get(key), stamp),
    set: (key, value, ttlMs, stamp) => setText(key, jsonOf(value), ttlMs, stamp),
    getText: async (key, stamp) => unpackText(entries.get(key), stamp),
    setText,
    close: async () => entries.clear(),
  }
}
