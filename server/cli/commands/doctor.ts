import { type Command, Option } from 'commander'
import { readWithoutSecret } from '../../config.ts'
import { damageOfPages } from '../../store/soundness/sqlite.ts'
import { DAMAGED } from '../../store/soundness/watch.ts'
import { type Examined, examine } from '../doctor/examine.ts'
import type { Finding, FixName } from '../doctor/finding.ts'
import { carryOut, fixesFor, willDo } from '../doctor/fix.ts'
import { addCommand } from '../help.ts'
import { gather } from '../settings/environment.ts'
import { handOverAtExit } from '../settings/owner.ts'

export const doctorCommand = (program: Command) =>
  addCommand(program, 'doctor', 'look for what is wrong with this server and its machine, and say what to do', {
    about: `Reads the whole database and the newest backup, asks the mail server and the clock, and looks at disks,
folders, certificates and the port. It changes nothing without --fix, and the server may go on working.
--fix closes files to other accounts, removes unfinished ones, tidies the database, makes the second
folder, a new certificate or a backup. It never restores: that is for you to decide.`,
    examples: [
      'markbook doctor',
      'markbook doctor --quick        on a large database',
      'sudo markbook doctor --fix        where the server is a service',
      'markbook doctor --json',
    ],
    exits: {
      0: 'all is well, or there are only notices',
      1: 'it could not look, and one clear line says why',
      3: 'problems were found, and with --fix some are left',
    },
  })
    .option('--quick', 'do not read the rows of the database and the backup: seconds, where the whole may take long')
    .option('--fix', 'do what can be done by itself; each thing is said first')
    .option('--json', 'as JSON, for programs')
    .addOption(new Option('--pages').hideHelp())
    .addOption(new Option('--data-dir <folder>').hideHelp())
    .action(doctor)

const PROBLEMS = 3

type Done = { fix: FixName; done: boolean; says: string }

type Options = { quick?: boolean; fix?: boolean; json?: boolean; pages?: boolean; dataDir?: string }

async function doctor({ quick = false, fix = false, json = false, pages = false, dataDir }: Options) {
  if (pages && dataDir) return readPages(dataDir)
  const { settings, file, warnings } = gather({ quiet: true })
  const config = readWithoutSecret(settings)
  const look = () => examine(config, { file, warnings }, json ? () => {} : progress(), { quick })
  const before = await look()
  const wanted = fix ? fixesFor(before) : []
  if (!json) console.log(report(before))
  if (wanted.length > 0) handOverAtExit(config)
  const fixed = await fixAll(wanted, config, json)
  const findings = wanted.length > 0 ? await look() : before
  if (json) print(findings, fixed)
  else if (wanted.length > 0) console.log(`\nAfterwards:\n${report(findings)}`)
  else if (fix) console.log('There is nothing that --fix could do.')
  if (findings.some(({ severity }) => severity === 'problem')) process.exitCode = PROBLEMS
}

/** Prints each step, and its progress at most every two seconds. Between steps Ctrl+C can end the process. */
function progress(): (doing: string) => void {
  let step = ''
  let told = 0
  return (doing) => {
    const [next = ''] = doing.split(':')
    if (!process.stderr.isTTY || (next === step && performance.now() - told < TELL)) return
    step = next
    told = performance.now()
    console.error(`${doing} …`)
  }
}
const TELL = 2_000

/** Reads every page of the database; the server runs this as a process of its own once it has started (`watchPages`). */
function readPages(dataDir: string) {
  const damage = damageOfPages(dataDir)
  if (damage === null) return console.log('The database was read whole: its pages are sound.')
  process.exitCode = DAMAGED
  console.log(
    `THE DATABASE IS DAMAGED (${damage}). Some marks cannot be read, or are wrong, and the disk may be dying. Run markbook doctor: it says what to do.`,
  )
}

async function fixAll(wanted: readonly FixName[], config: Examined, json: boolean): Promise<Done[]> {
  const all: Done[] = []
  for (const name of wanted) {
    if (!json) console.log(`\n${willDo(name, config)}`)
    const outcome = await carryOut(name, config)
    if (!json) console.log(`  ${outcome.done ? 'Done' : 'Not done'}: ${outcome.says}`)
    all.push({ fix: name, ...outcome })
  }
  return all
}

function print(findings: readonly Finding[], fixed: readonly Done[]) {
  console.log(JSON.stringify({ problems: findings.filter(({ severity }) => severity === 'problem').length, findings, fixed }, null, 2))
}

const LABELS = { problem: 'PROBLEM', notice: 'notice', ok: 'ok' }
const GRAVITY = { problem: 0, notice: 1, ok: 2 }

/** The findings as text, problems first, each with its meaning and what to do. */
function report(findings: readonly Finding[]): string {
  const sorted = [...findings].sort((a, b) => GRAVITY[a.severity] - GRAVITY[b.severity])
  return [...sorted.map(textOf), '', verdict(findings)].join('\n')
}

function textOf(finding: Finding): string {
  const label = LABELS[finding.severity].padEnd(9)
  if (finding.severity === 'ok') return `${label}${finding.what}`
  return [`${label}${finding.what}`, `         For the marks: ${finding.means}`, `         What to do:    ${finding.do}`, ''].join('\n')
}

function verdict(findings: readonly Finding[]): string {
  const count = (severity: Finding['severity']) => findings.filter((finding) => finding.severity === severity).length
  const [problems, notices] = [count('problem'), count('notice')]
  const canFix = findings.some((finding) => 'fix' in finding && finding.fix)
  const help = canFix ? ' markbook doctor --fix can do some of it.' : ''
  if (problems > 0) return `${problems === 1 ? 'One problem' : `${problems} problems`} found.${help}`
  return notices > 0 ? `No problem found; ${notices === 1 ? 'one thing' : `${notices} things`} to know.${help}` : 'All is well.'
}
