// `npm run bench`: measures the built server against its controls; arguments choose which (`npm run bench -- --help`).
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureBuilt } from './build.mjs'
import { ensureInstalled, root } from './install.mjs'

ensureInstalled()
await ensureBuilt()
const { status } = spawnSync(process.execPath, ['--import', 'tsx', join(root, 'bench', 'bench.ts'), ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
})
process.exit(status ?? 1)
