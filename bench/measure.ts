import { load, type Program } from './processes.ts'
import { median, medianRatio } from './statistics.ts'

/** One side of a comparison: a program and what to ask it. `before` runs ahead of every round and is not counted. */
export type Side = { program: Program; requests: () => readonly string[]; before?: () => Promise<unknown> }
/** Of one request: CPU of the process, requests a second, milliseconds until half were answered. */
export type Reading = { cpuMicros: number; perSecond: number; p50: number }
/** Medians of each side and of the pairs' ratios, ours over the control. */
export type Compared = { ours: Reading; control: Reading; cpu: number; speed: number; p50: number }
/**
 * `warmUps`: rounds of each side before any counts, so that what is measured is compiled; 3 where not said. `except`: both sides have to
 * reply the same to the first request, other than in these fields; no replies are compared where not said.
 */
export type Effort = { count: number; connections: number; pairs: number; warmUps?: number; except?: readonly string[] }

async function read({ program, requests, before }: Side, { count, connections }: Effort): Promise<Reading> {
  await before?.()
  const sent = requests()
  const { cpuMicros: start } = await program.usage()
  const { ms, p50 } = await load({ port: program.port, connections, count, requests: sent })
  const { cpuMicros: end } = await program.usage()
  return { cpuMicros: (end - start) / count, perSecond: (count / ms) * 1_000, p50 }
}

type InTurns<Ours, Control> = { ours: Ours[]; control: Control[] }

/** Both sides in pairs, one after the other, so that what else the machine does falls on both. Each is told which pair it is. */
export async function inTurns<Ours, Control>(
  pairs: number,
  ours: (pair: number) => Promise<Ours>,
  control: (pair: number) => Promise<Control>,
): Promise<InTurns<Ours, Control>> {
  const measured: InTurns<Ours, Control> = { ours: [], control: [] }
  for (let pair = 0; pair < pairs; pair += 1) {
    measured.ours.push(await ours(pair))
    measured.control.push(await control(pair))
  }
  return measured
}

/** A pair that a program measures of itself. */
export type Pair<Side> = { ours: Side; control: Side }
/** The pairs that a program measures of itself; the first is not counted. */
export async function pairsIn<Side>(program: Program, pairs: number): Promise<InTurns<Side, Side>> {
  const measured: Pair<Side>[] = []
  for (let pair = 0; pair <= pairs; pair += 1) measured.push(await program.ask<Pair<Side>>('pair'))
  const counted = measured.slice(1)
  return { ours: counted.map(({ ours }) => ours), control: counted.map(({ control }) => control) }
}

/** Both sides warmed up, then in turns. Throws where their replies differ. */
export async function compare(ours: Side, control: Side, effort: Effort): Promise<Compared> {
  if (effort.except) await expectSameReply(ours, control, effort.except)
  const turns = (pairs: number) =>
    inTurns(
      pairs,
      () => read(ours, effort),
      () => read(control, effort),
    )
  await turns(effort.warmUps ?? 3)
  const measured = await turns(effort.pairs)
  const figures = (side: 'ours' | 'control', of: keyof Reading) => measured[side].map((reading) => reading[of])
  const medians = (side: 'ours' | 'control'): Reading => ({
    cpuMicros: median(figures(side, 'cpuMicros')),
    perSecond: median(figures(side, 'perSecond')),
    p50: median(figures(side, 'p50')),
  })
  const ratio = (of: keyof Reading) => medianRatio(figures('ours', of), figures('control', of))
  return { ours: medians('ours'), control: medians('control'), cpu: ratio('cpuMicros'), speed: ratio('perSecond'), p50: ratio('p50') }
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
