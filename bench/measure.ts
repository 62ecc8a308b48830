import { load, type Program } from './processes.ts'
import type { Pairs } from './statistics.ts'

/** One side of a comparison: a program, and the requests to send to it. `before` runs before every round, and its time does not count. */
export type Side = { program: Program; requests: () => readonly string[]; before?: () => Promise<unknown> }
/** Of one request: CPU time of the process; requests a second; the median latency in ms. */
export type Reading = { cpuMicros: number; perSecond: number; p50: number }
/**
 * `warmUps`: rounds of each side before the measured ones, so that V8 has optimised the code; 3 by default. `except`: the fields in which
 * the replies to the first request may differ; without it the replies are not compared.
 */
type Effort = { count: number; connections: number; pairs: number; warmUps?: number; except?: readonly string[] }

/** The CPU time, and the growth of the memory, of a program during some work. */
export async function during<Result>(program: Program, work: () => Promise<Result>) {
  const before = await program.usage()
  const result = await work()
  const after = await program.usage()
  return { result, cpuMicros: after.cpuMicros - before.cpuMicros, grownBytes: Math.max(0, after.rssBytes - before.rssBytes) }
}

async function read({ program, requests, before }: Side, { count, connections }: Effort): Promise<Reading> {
  await before?.()
  const job = { port: program.port, connections, count, requests: requests() }
  const { result, cpuMicros } = await during(program, () => load(job))
  return { cpuMicros: cpuMicros / count, perSecond: (count / result.ms) * 1_000, p50: result.p50 }
}

/** Measures both sides in turns, so that other load of the machine affects both. Each function gets the number of the pair. */
export async function inTurns<Ours, Control>(
  pairs: number,
  ours: (pair: number) => Promise<Ours>,
  control: (pair: number) => Promise<Control>,
): Promise<Pairs<Ours, Control>> {
  const measured: Pairs<Ours, Control> = { ours: [], control: [] }
  for (let pair = 0; pair < pairs; pair += 1) {
    measured.ours.push(await ours(pair))
    measured.control.push(await control(pair))
  }
  return measured
}

/** A pair that a program measures within itself. */
export type Pair<Side> = { ours: Side; control: Side }
/** Asks a program for pairs that it measures within itself; the first is dropped as a warm-up. */
export async function pairsIn<Side>(program: Program, pairs: number): Promise<Pairs<Side>> {
  await program.ask('pair')
  const measured: Pairs<Side> = { ours: [], control: [] }
  for (let at = 0; at < pairs; at += 1) {
    const pair = await program.ask<Pair<Side>>('pair')
    measured.ours.push(pair.ours)
    measured.control.push(pair.control)
  }
  return measured
}

/** Warms both sides up, and measures them in turns. Throws where their replies differ. */
export async function compare(ours: Side, control: Side, effort: Effort): Promise<Pairs<Reading>> {
  if (effort.except) await expectSameReply(ours, control, effort.except)
  const sides = [() => read(ours, effort), () => read(control, effort)] as const
  await inTurns(effort.warmUps ?? 3, ...sides)
  return inTurns(effort.pairs, ...sides)
}

async function bodyOf(program: Program, request: string): Promise<unknown> {
  const { sample } = await load({ port: program.port, connections: 1, count: 1, requests: [request] })
  return JSON.parse(sample.slice(sample.indexOf('\r\n\r\n') + 4).replace(/^[0-9a-f]+\r\n|\r\n0\r\n\r\n$/g, ''))
}

/** Throws where two replies differ, except in the named fields and by roundings of numbers. */
async function expectSameReply(ours: Side, control: Side, except: readonly string[]): Promise<void> {
  const [request = ''] = ours.requests()
  const [same = ''] = control.requests === ours.requests ? [request] : control.requests()
  demandSame(await bodyOf(ours.program, request), await bodyOf(control.program, same), except, 'reply')
}

function demandSame(ours: unknown, control: unknown, except: readonly string[], path: string): void {
  if (typeof ours === 'number' && typeof control === 'number' && Math.abs(ours - control) < 0.011) return
  if (typeof ours === 'object' && typeof control === 'object' && ours !== null && control !== null) {
    for (const key of new Set([...Object.keys(ours), ...Object.keys(control)])) {
      if (except.includes(key)) continue
      demandSame((ours as Record<string, unknown>)[key], (control as Record<string, unknown>)[key], except, `${path}.${key}`)
    }
    return
  }
  if (ours !== control) throw new Error(`the control answers something else: ${path} is ${String(control)}, not ${String(ours)}`)
}
