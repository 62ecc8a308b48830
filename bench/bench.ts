import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Bench, type BenchRow, documentOf, tableOf } from './bench-row.ts'
import { describeCluster, stopCluster } from './central.ts'
import { dropCopies } from './fill.ts'
import { root } from './paths.ts'
import { bundlePrograms, keepProfiles, stopAll } from './processes.ts'
import { appKeys, appLoad, appNavigate, appOpen, appStart } from './rows/app.rows.ts'
import { backups } from './rows/backups.rows.ts'
import { meDuringJobs, reportCards, workbook } from './rows/documents.rows.ts'
import { exports } from './rows/exports.rows.ts'
import { live } from './rows/live.rows.ts'
import { saturation, waitingNodes } from './rows/load.rows.ts'
import { start } from './rows/node.rows.ts'
import { firstCopy, peers, upload } from './rows/replication.rows.ts'
import { bulk, central, classList, encryptedWrite, me, trackedWrite, trivial } from './rows/requests.rows.ts'
import { classTerm, classYear, generate, largeSchool } from './rows/results.rows.ts'
import { signInTime } from './rows/sign-in.rows.ts'
import { strangers } from './rows/strangers.rows.ts'
import { unsignedRequests } from './rows/unsigned-requests.rows.ts'

const benches: Record<string, Bench> = {
  me,
  trivial,
  'class-list': classList,
  bulk,
  'tracked-write': trackedWrite,
  'encrypted-write': encryptedWrite,
  'class-term': classTerm,
  'large-school': largeSchool,
  'class-year': classYear,
  generate,
  central,
  start,
  saturation,
  'unsigned-requests': unsignedRequests,
  'sign-in': signInTime,
  strangers,
  'report-cards': reportCards,
  workbook,
  'me-during-jobs': meDuringJobs,
  'first-copy': firstCopy,
  peers,
  upload,
  live,
  'waiting-nodes': waitingNodes,
  backups,
  export: exports,
  'app-load': appLoad,
  'app-keys': appKeys,
  'app-open': appOpen,
  'app-navigate': appNavigate,
  'app-start': appStart,
}

const HELP = `npm run bench                          every target of the box, each against its control
npm run bench -- me bulk               some of them: ${Object.keys(benches).join(', ')}
npm run bench -- me --pairs 9          more pairs, steadier figures (5 where not said)
npm run bench -- me --profile          keeps CPU profiles of both sides in .cache/bench/profiles
npm run bench -- --write               all of them, into docs/benchmarks.md
npm run bench -- me bulk --write       these rows of it; the others stay

The first run fills a school of one year (a minute) and one of five (several); they are kept in .cache/bench.`

function write(findings: readonly BenchRow[], pairs: number, postgres: string | undefined) {
  const path = join(root, 'docs', 'benchmarks.md')
  const before = existsSync(path) ? readFileSync(path, 'utf8') : ''
  writeFileSync(path, documentOf(findings, { postgres, pairs, day: new Date().toISOString().slice(0, 10) }, before))
  console.log('\nWritten to docs/benchmarks.md.')
}

function refuse(message: string): never {
  console.error(`${message}\n\n${HELP}`)
  process.exit(2)
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pairs: { type: 'string', default: '5' },
    profile: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const pairs = Number(values.pairs)
const unknown = positionals.filter((name) => !Object.hasOwn(benches, name))
if (values.help) {
  console.log(HELP)
  process.exit(0)
}
if (unknown.length > 0) refuse(`There is no benchmark called ${unknown.join(', ')}.`)
if (!Number.isInteger(pairs) || pairs < 1 || pairs > 20) refuse('--pairs is a number from 1 to 20.')
if (values.write && values.profile) refuse('Profiles slow what they measure: --write goes without them.')
if (values.profile) keepProfiles()

/** Stops the servers of a benchmark and removes its databases, before the next begins. */
async function clean(): Promise<void> {
  await stopAll()
  dropCopies()
}

const findings: BenchRow[] = []
try {
  await bundlePrograms()
  for (const [name, bench] of Object.entries(benches)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue
    console.error(`${name} …`)
    const found = (await bench({ pairs }).finally(clean)).map((finding) => ({ ...finding, name }))
    findings.push(...found)
    console.error(tableOf(found).split('\n').slice(1).join('\n'))
  }
} finally {
  await stopCluster()
}
console.log(`\n${tableOf(findings)}`)
if (values.write) write(findings, pairs, await describeCluster())
