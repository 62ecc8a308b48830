import { people } from '@markbook/shared/story/people'
import { Argument, type Command } from 'commander'
import type { Node } from '../../start.ts'
import { withNode } from '../console.ts'
import { addCommand } from '../help.ts'
import { REAL_ADMIN, seedRealPupils } from '../seed/real/seed-real.ts'
import { seedStory } from '../seed/seed.ts'
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
  const work = ({ services }: Node) => (what === 'real' ? seedRealPupils(services, console.log) : seedStory(services.store))
  await withNode(work, await configureToFill(), false)
  console.log(`Start the server on the same database, and sign in as ${what === 'real' ? REAL_ADMIN : people.okafor.email}.`)
}
