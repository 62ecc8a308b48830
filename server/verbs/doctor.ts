import type { Command } from 'commander'
import { readWithoutSecret } from '../config.ts'
import { type Examined, examine } from '../doctor/examine.ts'
import type { Finding, FixName } from '../doctor/finding.ts'
import { carryOut, fixesFor, willDo } from '../doctor/fix.ts'
import { hasProblem, report } from '../doctor/report.ts'
import { gather } from './environment.ts'
import { handOverAtExit } from './owner.ts'

export const doctorVerb = (program: Command) =>
  program
    .command('doctor')
    .description('look for what is wrong with this server and its machine, and say what to do')
    .option('--fix', 'do what can be done by itself; each thing is said first')
    .option('--json', 'as JSON, for programs')
    .addHelpText('after', HELP)
    .action(doctor)

const HELP = `
Reads the whole database and the newest backup, asks the mail server and the clock, and looks at disks,
folders, certificates and the port. It changes nothing without --fix, and the server may go on working.
--fix closes files to other accounts, removes unfinished ones, tidies the database, makes the second
folder, a new certificate or a backup. It never restores: that is for you to decide.

Examples:
  $ markbook doctor
  $ sudo markbook doctor --fix        where the server is a service
  $ markbook doctor --json

Exit codes:
  0  all is well, or there are only notices
  1  it could not look, and one clear line says why
  2  wrong usage
  3  problems were found, and with --fix some are left`

const PROBLEMS = 3

type Done = { fix: FixName; done: boolean; says: string }

async function doctor({ fix = false, json = false }: { fix?: boolean; json?: boolean }) {
  const { settings, file, warnings } = gather({ quiet: true })
  const config = readWithoutSecret(settings)
  const look = () => examine(config, { file, warnings }, json ? undefined : (doing) => process.stderr.isTTY && console.error(`${doing} …`))
  const before = await look()
  const wanted = fix ? fixesFor(before) : []
  if (!json) console.log(report(before))
  if (wanted.length > 0) handOverAtExit([config.dataDir, config.backupDir])
  const fixed = await fixAll(wanted, config, json)
  const findings = wanted.length > 0 ? await look() : before
  if (json) print(findings, fixed)
  else if (wanted.length > 0) console.log(`\nAfterwards:\n${report(findings)}`)
  else if (fix) console.log('There is nothing that --fix could do.')
  if (hasProblem(findings)) process.exitCode = PROBLEMS
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
