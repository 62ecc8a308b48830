#!/usr/bin/env node
// `npx markbook <verb>`, `npm start`, `npm run seed`: the command line of this checkout; installs and builds what is missing first.
import { bundle, prepare } from './build.mjs'

await prepare()
if (process.env.npm_command) {
  // npm runs this in a shell, and a signal to npm ends only that shell: so this stops when its parent process is gone.
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && process.kill(process.pid, 'SIGTERM'), 250).unref()
}
const { main } = await import(bundle)
await main(process.argv.slice(2))
