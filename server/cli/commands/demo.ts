import type { Command } from 'commander'
import { addCommand } from '../help.ts'
import { serve } from './start.ts'

export const demoCommand = (program: Command) =>
  addCommand(program, 'demo', 'serve a school told as a story, to try things out; the same as start --demo', {
    about: `The school is St Brigid’s, with three people to sign in as. It has a folder of its own (demo in DATA_DIR),
so a school’s own marks are never touched; delete that folder, and the story begins anew.`,
    examples: ['markbook demo', 'PORT=3001 markbook demo           beside a server that runs already', 'markbook demo --lan'],
    exits: { 0: 'it was stopped, with Ctrl+C or SIGTERM', 1: 'it cannot start, and one clear line says why' },
  })
    .option('--lan', 'serve the other devices of the building too, by https')
    .action(({ lan = false }: { lan?: boolean }) => serve({ demo: true, lan }))
