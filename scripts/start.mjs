// `npm start`: installs and builds what is missing, then runs the server in this process.
import { bundle, ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'

ensureInstalled()
await ensureBuilt()
const { main } = await import(bundle)
await main(['start', ...process.argv.slice(2)])
