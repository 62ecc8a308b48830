import { load, type Program } from './processes.ts'

/** One side of a comparison: a program and what to ask it. `before` runs ahead of every round and is not counted. */
export type Side = { program: Program; requests: () => readonly string[]; before?: () => Promise<void> }
/** Of one request: CPU of the process, requests a second, milliseconds until half were answered. */
export type Reading = { cpuMicros: number; perSecond: number; p50: number }
/** Medians of each side and of the pairs' ratios, ours over the control. */
export type Compared = { ours: Reading; control: Reading; cpu: number; speed: number; p50: number }
/** `warmUps`: rounds of each side before any counts, so that what is measured is compiled; 3 where not said. */
export type Effort = { count: number; connections: number; pairs: number; warmUps?: number }

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

async function read({ program, requests, before }: Side, { count, connections }: Effort): Promise<Reading> {
  await before?.()
  const asked = requests()
  const { cpuMicros: start } = await program.usage()
  const { ms, p50 } = await load({ port: program.port, connections, count, requests: asked })
  const { cpuMicros: end } = await program.usage()
  return { cpuMicros: (end - start) / count, perSecond: (count / ms) * 1_000, p50 }
}

const medians = (readings: readonly Reading[]): Reading => ({
  cpuMicros: median(readings.map(({ cpuMicros }) => cpuMicros)),
  perSecond: median(readings.map(({ perSecond }) => perSecond)),
  p50: median(readings.map(({ p50 }) => p50)),
})

/** Both sides warmed up, then in pairs, one after the other, so that what else the machine does falls on both. */
export async function compare(ours: Side, control: Side, effort: Effort): Promise<Compared> {
  for (let round = 0; round < (effort.warmUps ?? 3); round += 1) {
    await read(ours, effort)
    await read(control, effort)
  }
  const [mine, theirs]: [Reading[], Reading[]] = [[], []]
  for (let pair = 0; pair < effort.pairs; pair += 1) {
    mine.push(await read(ours, effort))
    theirs.push(await read(control, effort))
  }
  const ratios = (of: keyof Reading) => median(mine.map((reading, at) => reading[of] / (theirs[at] as Reading)[of]))
  return { ours: medians(mine), control: medians(theirs), cpu: ratios('cpuMicros'), speed: ratios('perSecond'), p50: ratios('p50') }
}

/** The reply's body of one request, for the check that both sides answer the same. */
export async function bodyOf(program: Program, request: string): Promise<unknown> {
  const { sample } = await load({ port: program.port, connections: 1, count: 1, requests: [request] })
  return JSON.parse(sample.slice(sample.indexOf('\r\n\r\n') + 4).replace(/^[0-9a-f]+\r\n|\r\n0\r\n\r\n$/g, ''))
}
