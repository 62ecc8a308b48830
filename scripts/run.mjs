#!/usr/bin/env node
// `npx markbook <verb>`: the command line of this checkout; installs and builds what is missing first.
import { bundle, ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'

ensureInstalled()
await ensureBuilt()
if (process.env.npm_command) {
  // npx starts this through a shell, and a signal to npx ends the shell alone: its going is the sign to stop.
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && process.kill(process.pid, 'SIGTERM'), 250).unref()
}
const { main } = await import(bundle)
await main(process.argv.slice(2))
