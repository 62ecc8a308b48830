import { people } from '@markbook/shared/story/people'
import { Argument, type Command } from 'commander'
import { REAL_ADMIN, seedRealPupils } from '../seed/real/seed-real.ts'
import { seedStory } from '../seed/seed.ts'
import { openNode } from '../start.ts'
import { configure } from './environment.ts'

export const seedVerb = (program: Command) =>
  program
    .command('seed')
    .description('fill an empty database: with the story of St Brigid’s, or with the marks of 395 real pupils')
    .addArgument(new Argument('<what>', 'what to fill it with').choices(['story', 'real']))
    .addHelpText('after', HELP)
    .action(seed)

const HELP = `
For trying things out. A database that holds a school is refused.

Examples:
  $ DATA_DIR=./data/real markbook seed real
  $ DATA_DIR=./data/story markbook seed story

Exit codes:
  0  it is filled
  1  it was refused: there is a school already, or a server runs
  2  wrong usage`

async function seed(what: 'story' | 'real') {
  const { services, close } = await openNode(configure())
  try {
    if (what === 'real') await seedRealPupils(services, console.log)
    else await seedStory(services.store, { again: false })
    console.log(`Start the server on the same database, and sign in as ${what === 'real' ? REAL_ADMIN : people.okafor.email}.`)
  } finally {
    await close()
  }
}
