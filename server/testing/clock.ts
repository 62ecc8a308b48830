import { createHash } from 'node:crypto'
import type { Clock } from '@markbook/shared/clock'
import { type IdSource, idSource } from '@markbook/shared/ids'

/** A clock that only a test moves. */
export type TestClock = Clock & { advance(ms: number): void; set(instant: string): void }

export function testClock(start = '2026-01-12T08:00:00.000Z'): TestClock {
  let now = Date.parse(start)
  const setTo = (ms: number) => {
    now = ms
  }
  return { now: () => now, advance: (ms) => setTo(now + ms), set: (instant) => setTo(Date.parse(instant)) }
}

/** Pseudo-random bytes that are the same in every run, so that two databases can be compared byte by byte. */
function repeatableBytes(seed: string): (size: number) => Uint8Array {
  let count = 0
  return (size) => {
    const bytes: number[] = []
    while (bytes.length < size) bytes.push(...createHash('sha256').update(`${seed}:${count++}`).digest())
    return Uint8Array.from(bytes.slice(0, size))
  }
}

export const repeatableIds = (clock: Clock, seed = 'ids'): IdSource => idSource(clock.now, repeatableBytes(seed))
