/** The clock is a parameter: only the edge of the program reads the machine's clock. `now` returns milliseconds since 1970, UTC. */
export type Clock = { now(): number }

export const systemClock: Clock = { now: () => Date.now() }

/** ISO 8601 in UTC with milliseconds and `Z`, the only form of an instant on the wire and in the store (decisions §1). */
export const toInstant = (ms: number): string => new Date(ms).toISOString()
