// `npm start`: installs and builds what is missing, then runs the server in this process.
import { bundle, ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'

ensureInstalled()
await ensureBuilt()
// npm starts this through a shell, and a signal to npm ends the shell alone: its going is the sign to stop.
const parent = process.ppid
setInterval(() => process.ppid !== parent && process.kill(process.pid, 'SIGTERM'), 250).unref()
const { main } = await import(bundle)
await main(['start', ...process.argv.slice(2)])
