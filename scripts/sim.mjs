// `npm run sim -- --seeds 100 [--seed 1] [--events 200] [--central 10] [--faults a,b] [--laptops 0] [--jobs 2] [--show 3] [--trace 1]`:
// simulated worlds, shared out among the cores; a failing one says how to see it again. `--central 10`: every tenth has its centre on Postgres.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureInstalled, root } from './install.mjs'

ensureInstalled()
const { status } = spawnSync(
  process.execPath,
  ['--import', 'tsx', join(root, 'server', 'tests', 'world', 'cli.ts'), ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit' },
)
process.exit(status ?? 1)
