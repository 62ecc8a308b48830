import { Argument, type Command } from 'commander'
import type { Node } from '../../start.ts'
import { withNode } from '../console.ts'
import { addCommand } from '../help.ts'
import { configureToFill } from '../settings/environment.ts'

export const seedCommand = (program: Command) =>
  addCommand(program, 'seed', 'fill an empty database: with the story of St Brigid’s, or with the marks of 395 real pupils', {
    about: 'For trying things out. A database that holds a school is refused.',
    examples: ['DATA_DIR=./data/real markbook seed real', 'DATA_DIR=./data/story markbook seed story'],
    exits: { 0: 'it is filled', 1: 'it was refused: there is a school already, or a server runs' },
  })
    .addArgument(new Argument('<what>', 'what to fill it with').choices(['story', 'real']))
    .action(seed)

async function seed(what: 'story' | 'real') {
  const { fill, admin } = what === 'real' ? await realPupils() : await story()
  await withNode(({ services }) => fill(services), await configureToFill(), false)
  console.log(`Start the server on the same database, and sign in as ${admin}.`)
}

type Filling = { fill(services: Node['services']): Promise<void>; admin: string }

// Imported on demand: building the story would add a tenth to the start of every other command.
async function story(): Promise<Filling> {
  const [{ seedStory }, { people }] = await Promise.all([import('../seed/seed.ts'), import('@markbook/shared/story/people')])
  return { fill: ({ store }) => seedStory(store), admin: people.okafor.email }
}

async function realPupils(): Promise<Filling> {
  const { REAL_ADMIN, seedRealPupils } = await import('../seed/real/seed-real.ts')
  return { fill: (services) => seedRealPupils(services, console.log), admin: REAL_ADMIN }
}
