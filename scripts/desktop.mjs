// `npm run desktop`: the teachers' program of this checkout, with the folder of this user; arguments go to it.
import { spawn } from 'node:child_process'
import { ensureBuilt } from './build.mjs'
import { ensureInstalled, root } from './install.mjs'

ensureInstalled()
await ensureBuilt()
const running = spawn(process.execPath, ['--import', 'tsx', 'desktop/shell/main.ts', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => running.kill(signal))
running.on('exit', (code) => process.exit(code ?? 1))
