import type { Compared, Reading } from './measure.ts'

/** A target: at least, or at most, so many times the control. */
export type Target = { bound: 'least' | 'most'; ratio: number } | { bound: 'most'; absolute: number; unit: string }
/** One line of the table. `name` is the benchmark's. `measured` is in the terms of the target; `figure` says what it was made of. */
export type Finding = { name?: string; what: string; control: string; target: Target; measured: number; figure: string }
/** A benchmark: what `npm run bench -- <name>` runs. */
export type Bench = { name: string; run(effort: { pairs: number }): Promise<Finding[]> }

export const least = (ratio: number): Target => ({ bound: 'least', ratio })
export const most = (ratio: number): Target => ({ bound: 'most', ratio })
export const within = (absolute: number, unit: string): Target => ({ bound: 'most', absolute, unit })

const bound = (target: Target) => ('absolute' in target ? target.absolute : target.ratio)
export const isHit = ({ target, measured }: Finding): boolean =>
  target.bound === 'least' ? measured >= bound(target) : measured <= bound(target)

const short = (value: number) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(value < 0.1 ? 3 : 2))
const shown = (value: number, target: Target) => ('absolute' in target ? `${short(value)} ${target.unit}` : `${short(value)} ×`)
export const shownTarget = ({ target }: Finding) => `${target.bound === 'least' ? '≥' : '≤'} ${shown(bound(target), target)}`
export const shownMeasure = ({ target, measured }: Finding) => shown(measured, target)

const cpu = ({ cpuMicros }: Reading) => (cpuMicros >= 10_000 ? `${(cpuMicros / 1_000).toFixed(1)} ms` : `${cpuMicros.toFixed(0)} µs`)
/** CPU of one request and requests a second: ours, then the control's. */
export const bothFigures = ({ ours, control }: Compared): string =>
  `CPU ${cpu(ours)} / ${cpu(control)}; ${ours.perSecond.toFixed(0)} / ${control.perSecond.toFixed(0)} a second`
