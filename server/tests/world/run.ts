import { chanceOf } from './chance.ts'
import { type Fault, formerFaults, newerFaults, type Options, type Outcome } from './members.ts'
import { World } from './world.ts'

/** `also`: faults besides those that the seed has. */
export type Run = Partial<Pick<Options, 'events' | 'faults' | 'laptops' | 'hasStructure' | 'cluster'> & { also: readonly Fault[] }>

const newerFaultsOf = (seed: number): readonly Fault[] => {
  const chance = chanceOf(seed * 31 + 8)
  return newerFaults.filter(() => chance.often(0.3))
}
/** The faults that the world of a seed had before there were newer ones: with these alone it is the same world as then. */
export function formerFaultsOf(seed: number): ReadonlySet<Fault> {
  const newer: readonly Fault[] = newerFaultsOf(seed)
  return new Set([...optionsOf(seed).faults].filter((fault) => !newer.includes(fault)))
}

/** The world of a seed: how many schools and laptops there are, and which faults, follow from it. */
function optionsOf(seed: number, { events = 200, faults: given, also = [], laptops, hasStructure = true, cluster }: Run = {}): Options {
  const chance = chanceOf(seed * 31 + 7)
  const some = formerFaults.filter(() => chance.often(0.6))
  return {
    seed,
    events,
    hasStructure,
    schools: chance.pick([1, 1, 1, 2, 2, 3]),
    laptops: Math.min(chance.pick([0, 1, 1, 2, 3]), laptops ?? 3),
    faults: new Set<Fault>([...(given ?? [...some, ...newerFaultsOf(seed)]), ...also]),
    ...(cluster !== undefined && { cluster }),
  }
}

export const simulate = (seed: number, run: Run = {}): Promise<Outcome> => new World(optionsOf(seed, run)).live()
export const replayOf = (seed: number, events: number): string => `npm run sim -- --seed ${seed} --seeds 1 --events ${events}`
