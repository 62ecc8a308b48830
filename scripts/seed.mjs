// `npm run seed -- story|real`: fills an empty database with the story or with the real marks.
import { bundle, ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'

ensureInstalled()
await ensureBuilt()
const { main } = await import(bundle)
await main(['seed', ...process.argv.slice(2)])
