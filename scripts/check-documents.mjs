// A step of `npm run check`: decision records are complete and in the index, and every document that is named exists.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './install.mjs'

const folders = ['.ci', 'bench', 'desktop', 'docs', 'examples', 'scripts', 'server', 'shared', 'sync']
const decisions = 'docs/decisions'
const faults = []
const read = (path) => readFileSync(join(root, path), 'utf8')

const files = folders
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((path) => join(folder, path)))
  .filter((path) => !/(^|\/)(node_modules|dist)\//.test(path))
const documents = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...files.filter((path) => path.endsWith('.md'))].filter((path) =>
  existsSync(join(root, path)),
)

/** `# 0007 Title`, `- Date: 2026-11-21`, `- Status: accepted`. */
function checkRecord(name, index) {
  const text = read(join(decisions, name))
  const number = /^(\d{4})-/.exec(name)?.[1]
  const title = /^# (.+)$/m.exec(text)?.[1]
  const date = /^- Date: (\d{4}-\d\d-\d\d)$/m.exec(text)?.[1]
  const status = /^- Status: (accepted|superseded by \d{4})$/m.exec(text)?.[1]
  if (!date) faults.push(`${decisions}/${name}: no line «- Date: 2026-11-23»`)
  if (!status) faults.push(`${decisions}/${name}: no line «- Status: accepted» or «- Status: superseded by 0007»`)
  if (!number || !title?.startsWith(`${number} `)) {
    faults.push(`${decisions}/${name}: the name and the title begin with the same number`)
  } else if (!index.includes(`| [${number}](${name}) | ${title.slice(5)} | ${date} | ${status} | `)) {
    faults.push(`${decisions}/README.md: no line «| [${number}](${name}) | ${title.slice(5)} | ${date} | ${status} | …»`)
  }
}

const index = read(join(decisions, 'README.md'))
const records = readdirSync(join(root, decisions)).filter((name) => name !== 'README.md')
for (const name of records) checkRecord(name, index)
const numbers = records.map((name) => name.slice(0, 4))
for (const number of numbers.filter((each, at) => numbers.indexOf(each) !== at))
  faults.push(`${decisions}: two records have the number ${number}`)

for (const path of documents) {
  for (const [, target] of read(path).matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)) {
    if (/^[a-z]+:/.test(target)) continue
    if (!existsSync(join(root, dirname(path), decodeURI(target)))) faults.push(`${path}: there is no ${target}`)
  }
}

for (const path of files.filter((each) => /\.(ts|tsx|mjs|cjs|css)$/.test(each))) {
  for (const [target] of read(path).matchAll(/\bdocs\/[\w./-]+\.md\b/g)) {
    if (!existsSync(join(root, target))) faults.push(`${path}: there is no ${target}`)
  }
}

for (const fault of faults) console.error(fault)
process.exit(faults.length > 0 ? 1 : 0)
