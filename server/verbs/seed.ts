import { Argument, type Command } from 'commander'
import { seedStory } from '../seed/seed.ts'
import { openStore } from '../start.ts'
import { configure } from './environment.ts'

export const seedVerb = (program: Command) =>
  program
    .command('seed')
    .description('fill an empty database: with the story of St Brigid’s, or with the marks of 395 real pupils')
    .addArgument(new Argument('<what>', 'what to fill it with').choices(['story', 'real']))
    .action(seed)

async function seed(what: 'story' | 'real') {
  const config = configure()
  if (what === 'real') return
  const store = await openStore(config)
  await seedStory(store, { again: false }).finally(() => store.close())
}
