import { load, type Program } from './processes.ts'
import type { Pairs } from './statistics.ts'

/** One side of a comparison: a program and what to ask it. `before` runs ahead of every round and is not counted. */
export type Side = { program: Program; requests: () => readonly string[]; before?: () => Promise<unknown> }
/** Of one request: CPU of the process, requests a second, milliseconds until half were answered. */
export type Reading = { cpuMicros: number; perSecond: number; p50: number }
/**
 * `warmUps`: rounds of each side before any counts, so that what is measured is compiled; 3 where not said. `except`: both sides have to
 * reply the same to the first request, other than in these fields; no replies are compared where not said.
 */
type Effort = { count: number; connections: number; pairs: number; warmUps?: number; except?: readonly string[] }

/** What a program used while some work was done: CPU, and memory that it grew by. */
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

/** Both sides in pairs, one after the other, so that what else the machine does falls on both. Each is told which pair it is. */
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

/** A pair that a program measures of itself. */
export type Pair<Side> = { ours: Side; control: Side }
/** The pairs that a program measures of itself; the first is not counted. */
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

/** Both sides warmed up, then in turns. Throws where their replies differ. */
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

/** Throws where the two replies differ, other than in the named fields and, in numbers, by a rounding. */
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
