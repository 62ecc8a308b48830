// The walls of desktop/ for files that the checker of walls cannot read: its parser takes TypeScript without JSX.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const IMPORT = /(?:from|import)\s*\(?\s*'([^']+)'/g
const FOREIGN = /^@markbook\/(sync|server|shared\/tables)\b/

const files = readdirSync(join(root, 'desktop'), { recursive: true })
  .filter((file) => file.endsWith('.tsx') && !file.includes('node_modules') && !/\.test\.tsx$/.test(file))
  .map((file) => join(root, 'desktop', file))

const wrong = files.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(IMPORT)]
    .map(([, name]) => name)
    .filter((name) => FOREIGN.test(name) || (name.startsWith('.') && relative(root, join(dirname(file), name)).split('/')[0] !== 'desktop'))
    .map((name) => `${relative(root, file)} → ${name}: the desktop sees the contract, the rules and the story`),
)
for (const line of wrong) console.error(line)
if (files.length < 10) console.error(`only ${files.length} files were looked at`)
process.exit(wrong.length > 0 || files.length < 10 ? 1 : 0)
