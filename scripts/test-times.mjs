// `node scripts/test-times.mjs [--write]`: the time that each folder took in the last `npm test`, from its report in .cache/tests.json.
// `--write` replaces the table in docs/testing.md. The seconds are those of the files, of which three run at a time.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './install.mjs'

const SLOWEST = 12
const { testResults, numTotalTests, startTime } = JSON.parse(readFileSync(join(root, '.cache', 'tests.json'), 'utf8'))
const files = testResults.map(({ name, startTime, endTime, assertionResults }) => ({
  path: name.slice(root.length),
  seconds: (endTime - startTime) / 1000,
  tests: assertionResults.length,
}))

const areaOf = (path) => {
  if (path.endsWith('.browser.test.ts')) return 'in a browser'
  const [room, folder, part] = path.split('/')
  if (room === 'server' && folder === 'tests') return part?.endsWith('.ts') ? 'server/tests' : `server/tests/${part}`
  return room === 'shared' || room === 'sync' || room === 'scripts' ? room : `${room}/${folder}`
}
const areas = new Map()
for (const file of files) areas.set(areaOf(file.path), [...(areas.get(areaOf(file.path)) ?? []), file])
const sum = (all, key) => all.reduce((total, file) => total + file[key], 0)
const row = (...cells) => `| ${cells.join(' | ')} |`
const bySeconds = (a, b) => b[1] - a[1]

const rows = [...areas].map(([area, own]) => [area, sum(own, 'seconds'), sum(own, 'tests'), own.length]).sort(bySeconds)
const slowest = files
  .map(({ path, seconds }) => [path, seconds])
  .sort(bySeconds)
  .slice(0, SLOWEST)
const table = [
  `${files.length} runs of files, ${numTotalTests} tests, measured on ${new Date(startTime).toISOString().slice(0, 10)}:`,
  '',
  row('Where', 'Seconds', 'Tests', 'Files'),
  row('---', '---:', '---:', '---:'),
  ...rows.map(([area, seconds, tests, count]) => row(area, seconds.toFixed(0), tests, count)),
  '',
  row('The slowest files', 'Seconds'),
  row('---', '---:'),
  ...slowest.map(([path, seconds]) => row(`\`${path}\``, seconds.toFixed(1))),
].join('\n')

console.log(table)
if (process.argv.includes('--write')) {
  const page = join(root, 'docs', 'testing.md')
  const text = readFileSync(page, 'utf8')
  const [begin, end] = ['<!-- times -->', '<!-- end of times -->']
  writeFileSync(page, `${text.slice(0, text.indexOf(begin) + begin.length)}\n${table}\n${text.slice(text.indexOf(end))}`)
}
