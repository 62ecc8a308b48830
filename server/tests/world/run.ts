import { chanceOf } from './chance.ts'
import { type Fault, faults, type Options, type Outcome } from './members.ts'
import { World } from './world.ts'

export type Run = Partial<Pick<Options, 'events' | 'faults' | 'laptops' | 'cluster'>>

/** The world of a seed: how many schools and laptops there are, and which faults, follow from it. */
export function optionsOf(seed: number, { events = 200, faults: given, laptops, cluster }: Run = {}): Options {
  const chance = chanceOf(seed * 31 + 7)
  const some = faults.filter(() => chance.often(0.6))
  return {
    seed,
    events,
    schools: chance.pick([1, 1, 1, 2, 2, 3]),
    laptops: Math.min(chance.pick([0, 1, 1, 2, 3]), laptops ?? 3),
    faults: given ?? new Set<Fault>(some),
    ...(cluster !== undefined && { cluster }),
  }
}

export const simulate = (seed: number, run: Run = {}): Promise<Outcome> => new World(optionsOf(seed, run)).live()
export const replayOf = (seed: number, events: number): string => `npm run sim -- --seed ${seed} --seeds 1 --events ${events}`
