// `npm run check`: types, lint, imports between folders, and whether generated files are current. Each step is a command that can be run
// alone.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { root } from './install.mjs'

const bin = (name, ...args) => [join(root, 'node_modules', '.bin', name), ...args]
const productCode = [
  ...['server', 'shared', 'desktop', ':!*.test.ts', ':!*.test.tsx', ':!*.fixtures.ts', ':!*.suite.ts', ':!**/tests/**'],
  ...[':!server/testing', ':!server/replication', ':!server/store/replica', ':!server/features/replication'],
  // The code where types of the two databases are converted.
  ...[':!server/store/dialect*.ts', ':!server/store/compiled.ts', ':!server/store/statement.ts'],
]
/** Files that still have such casts; no file is added. */
const knownCasts = ['desktop/ui/api/queries.ts']

/** Type names that had another meaning in each of a dozen files. A type is named by what it describes. */
const OVERLOADED = '^ *(export )?(type|interface) (Place|Shown|Asked|Told|Said|Heard|Seen|Known|Way)\\b'

/** The longest step comes first, so that the others run beside it. */
const steps = [
  ['types', bin('tsc', '-p', '.')],
  ['format and lint', bin('biome', 'check', '--error-on-warnings', '.')],
  ['promises that nobody awaits', bin('oxlint', '--type-aware', '--deny-warnings', 'shared', 'sync', 'server', 'desktop')],
  ['types of shared, without Node and without a page', bin('tsc', '-p', 'shared')],
  ['types of sync, likewise', bin('tsc', '-p', 'sync')],
  [
    'imports between folders',
    bin('depcruise', '--config', '.ci/boundaries.cjs', '--output-type', 'json', 'shared', 'sync', 'server', 'desktop', 'examples'),
    noneForbidden,
  ],
  [
    'values of the contract in the rules',
    ['git', 'grep', '-hE', "^(import|\\}) .*'\\.\\./contract/", '--', 'shared/domain', ':!*.test.ts'],
    onlyTypes,
  ],
  ['exports that nobody imports', bin('knip', '--no-config-hints')],
  ['casts', ['git', 'grep', '-lE', '\\bas never\\b|school_id as string', '--', ...productCode], onlyKnownCasts],
  ['type names with many meanings', ['git', 'grep', '-nE', OVERLOADED, '--', '*.ts', '*.tsx'], noneFound],
  ['docs/openapi.json is current', [process.execPath, '--import', 'tsx', 'scripts/openapi.mjs', '--check']],
  ['the version of the schema is current', [process.execPath, '--import', 'tsx', 'scripts/generate.mjs', '--check']],
  ['documents', [process.execPath, 'scripts/check-documents.mjs']],
]

/** With TypeScript 7 and without the swc parser the checker read no files and succeeded; so the files are counted. */
function noneForbidden(output) {
  const { modules, summary } = JSON.parse(output)
  const ours = modules.filter(({ source }) => /^(shared|sync|server|desktop)\//.test(source)).length
  if (ours < 100) throw new Error(`only ${ours} modules were looked at`)
  for (const { from, to, rule } of summary.violations) console.error(`${from} → ${to}: ${rule.name}`)
  if (summary.error > 0) throw new Error(`${summary.error} imports are forbidden; .ci/boundaries.cjs says why`)
}

/** `shared/domain` may import types of the contract, but no code. */
function onlyTypes(output) {
  const values = output.split('\n').filter((line) => line !== '' && !line.startsWith('import type '))
  if (values.length > 0) throw new Error(`shared/domain imports more than types: ${values.join(', ')}`)
}

function noneFound(output) {
  if (output !== '') throw new Error(`a name that says too little:\n${output}`)
}

/** `as never` and `school_id as string` hide errors from the compiler. */
function onlyKnownCasts(output) {
  const found = output.split('\n').filter(Boolean)
  const more = found.filter((file) => !knownCasts.includes(file))
  const gone = knownCasts.filter((file) => !found.includes(file))
  if (more.length > 0) throw new Error(`\`as never\` or \`school_id as string\` in ${more.join(', ')}`)
  if (gone.length > 0) throw new Error(`no such cast any more, remove from the list: ${gone.join(', ')}`)
}

/** Steps that run at the same time; each needs little more than one core. */
const AT_ONCE = 2

/** Returns whether all steps passed. After a failed step it prints its output and starts no further one. */
export async function check() {
  const waiting = [...steps]
  let passed = true
  const work = async () => {
    while (passed && waiting.length > 0) {
      const [title, command, inspect] = waiting.shift()
      const started = Date.now()
      const { status, stdout, output } = await run(command)
      const failure = inspect ? inspected(inspect, stdout) : status === 0 ? null : output
      console.log(`${failure === null ? '✓' : '✗'} ${title} (${((Date.now() - started) / 1000).toFixed(1)} s)`)
      if (failure === null) continue
      console.error(failure)
      passed = false
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return passed
}

const run = ([command, ...args]) =>
  new Promise((resolve) => {
    const ended = (error, stdout, stderr) => resolve({ status: error ? 1 : 0, stdout, output: `${stdout}\n${stderr}` })
    execFile(command, args, { cwd: root, maxBuffer: 256 * 1024 * 1024 }, ended)
  })

const inspected = (inspect, output) => {
  try {
    inspect(output)
    return null
  } catch (error) {
    return error.message
  }
}

if (process.argv[1] === join(root, 'scripts', 'check.mjs')) process.exit((await check()) ? 0 : 1)
