import { parseArgs } from 'node:util'
import { faults } from './members.ts'

const names = ['seeds', 'seed', 'events', 'central', 'faults', 'also', 'structure', 'laptops', 'jobs', 'show', 'trace']
/** What a process of the run is given besides. */
const inner = ['cluster', 'works']

/** The options of `npm run sim` by name. Throws what a person can read where one of them, or a fault, is unknown. */
export function optionsIn(args: readonly string[]): Map<string, string> {
  try {
    const options = Object.fromEntries([...names, ...inner].map((name) => [name, { type: 'string' as const }]))
    const { values } = parseArgs({ args: [...args], options })
    const chosen = new Map(Object.entries(values).map(([name, value]) => [name, String(value)]))
    const named = ['faults', 'also'].flatMap((name) => chosen.get(name)?.split(',') ?? [])
    const unknown = named.filter((name) => !(faults as readonly string[]).includes(name))
    if (unknown.length > 0) throw new Error(`There is no fault ${unknown.join(', ')}. The faults: ${faults.join(', ')}.`)
    return chosen
  } catch (error) {
    throw new Error(`${(error as Error).message}\nThe options: ${names.map((name) => `--${name}`).join(' ')}.`)
  }
}
