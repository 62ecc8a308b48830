// `npm test`: installs what is missing, checks, and runs every test on SQLite and on Postgres. Arguments go to vitest.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { check } from './check.mjs'
import { ensureInstalled, root } from './install.mjs'

ensureInstalled()
const filters = process.argv.slice(2)
if (filters.length === 0 && !check()) process.exit(1)
const { status } = spawnSync(process.execPath, [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...filters], {
  cwd: root,
  stdio: 'inherit',
})
process.exit(status ?? 1)
