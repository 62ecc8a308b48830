// A step of `npm run check`: decision records are complete and listed in the index; every document that is linked exists, and so does every
// test in the table of security requirements.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './install.mjs'

const folders = ['.ci', 'bench', 'desktop', 'docs', 'examples', 'scripts', 'server', 'shared', 'sync']
const decisions = 'docs/decisions'
const faults = []
const NOT_MET = 5
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

/** The table of OWASP ASVS 5.0: levels 1 and 2 have 70 and 183 requirements, in rows `| 1.2.3 | 1 | asked | state | how |`. */
function checkRequirements(path) {
  const cells = (line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, ''))
  const rows = read(path)
    .split('\n')
    .filter((line) => /^\| \d/.test(line))
    .map(cells)
  const once = new Set(rows.map(([number]) => number))
  const ofLevel = (wanted) => rows.filter(([, level]) => level === wanted).length
  if (once.size !== 253 || ofLevel('1') !== 70 || ofLevel('2') !== 183)
    faults.push(`${path}: ${once.size} numbers, ${ofLevel('1')} of level 1 and ${ofLevel('2')} of level 2, not 253, 70 and 183`)
  const notMet = rows.filter(([, , , state]) => state === 'not met')
  if (notMet.length > NOT_MET) faults.push(`${path}: ${notMet.length} are not met, more than ${NOT_MET}`)
  for (const [number, , asked, state, how, ...more] of rows) {
    if (!asked || !how || more.length > 0) faults.push(`${path}: ${number} has no text, or a cell too many`)
    if (!['met', 'not applicable', 'not met'].includes(state)) faults.push(`${path}: ${number} is «${state}»`)
    const tests = [...how.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, test]) => test)
    if (state === 'met' && tests.length === 0) faults.push(`${path}: ${number} is met and names no test`)
    for (const test of tests) if (!existsSync(join(root, test))) faults.push(`${path}: ${number} names ${test}, which is not there`)
  }
}
checkRequirements('docs/security/asvs.md')

for (const fault of faults) console.error(fault)
process.exit(faults.length > 0 ? 1 : 0)
