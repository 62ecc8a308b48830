// `npm run dev`: the server with the story, started again at every change.
import { spawn } from 'node:child_process'
import { ensureInstalled, root } from './install.mjs'

ensureInstalled()
spawn(
  process.execPath,
  ['--import', 'tsx', '--watch-path=server', '--watch-path=shared', '--watch-path=sync', 'server/cli.ts', 'start', '--demo'],
  {
    cwd: root,
    stdio: 'inherit',
  },
)
