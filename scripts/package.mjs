// `npm run package [deb] [deb-server] [win] [win-server]`: writes installers into dist/packages; all of them where none is named.
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './install.mjs'
import { makeDeb } from './package/deb.mjs'
import { lacks } from './package/tools.mjs'
import { makeInstaller } from './package/windows.mjs'

const makers = { deb: makeDeb, 'deb-server': makeDeb, win: makeInstaller, 'win-server': makeInstaller }
const wanted = process.argv.slice(2)
const unknown = wanted.filter((kind) => !(kind in makers))
if (unknown.length > 0) {
  console.error(`There is no package ${unknown.join(', ')}. There are: ${Object.keys(makers).join(', ')}`)
  process.exit(2)
}

const out = join(root, 'dist', 'packages')
mkdirSync(out, { recursive: true })
for (const kind of wanted.length > 0 ? wanted : Object.keys(makers)) {
  const lacking = lacks(kind)
  if (lacking) {
    console.error(`${kind}: ${lacking}`)
    // Without arguments every package that can be made here is made; one that was named and cannot be made is a failure.
    process.exitCode = wanted.length > 0 ? 1 : process.exitCode
    continue
  }
  const started = performance.now()
  const file = await makers[kind](kind, out)
  const megabytes = (statSync(file).size / 1_048_576).toFixed(1)
  console.log(`${file} (${megabytes} MB, ${((performance.now() - started) / 1_000).toFixed(0)} s)`)
}
