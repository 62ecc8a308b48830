// `npm run demo:sync`: a centre and a school on this machine, with a line between them that can be cut.
import { spawn } from 'node:child_process'
import { ensureAppBuilt } from './build.mjs'
import { ensureInstalled, root } from './install.mjs'

ensureInstalled()
ensureAppBuilt()
const running = spawn(process.execPath, ['--import', 'tsx', 'server/demo/two-servers.ts'], { cwd: root, stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => running.kill(signal))
running.on('exit', (code) => process.exit(code ?? 1))
