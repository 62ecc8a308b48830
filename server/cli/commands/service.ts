import { existsSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { addCommand } from '../help.ts'
import { type Host, thisHost } from '../service/host.ts'
import { type InstallOptions, installService, SERVICE, serviceState, UNIT_FILE, uninstallService, unitText } from '../service/install.ts'
import { machineFile } from '../settings/settings-file.ts'

type Options = { to?: string; dataDir: string; user: string }

export function serviceCommand(program: Command) {
  const service = addCommand(
    program,
    'service',
    'start Markbook with the machine: install, uninstall, status',
    {
      about: 'For Linux with systemd. On Windows see docs/operators-guide/service.md.',
      examples: [
        'sudo markbook service install',
        'sudo markbook service install --data-dir /srv/marks',
        'markbook service install --to markbook.service     only the text, for another machine',
        'markbook service status',
        'sudo markbook service uninstall',
      ],
      exits: { 0: 'done; for status: it is running', 1: 'it was refused, and one clear line says why', 3: 'for status: it is not running' },
    },
    'afterAll',
  )
  service
    .command('install')
    .description('write, enable and start a unit of systemd')
    .option('--to <file>', 'only write the unit into this file, and change nothing else')
    .option('--data-dir <folder>', 'the folder of the marks', '/var/lib/markbook')
    .option('--user <name>', 'the account that it runs as; made where it is missing', SERVICE)
    .action(install)
  service
    .command('uninstall')
    .description('stop it and take the unit away; marks and settings stay')
    .action(() => uninstallService(optionsFrom({ dataDir: '/var/lib/markbook', user: SERVICE }), supported(thisHost()), console.log))
  service.command('status').description('say whether it is installed, enabled and running').action(status)
  return service
}

const BUNDLE = 'markbook.mjs'

/** The path of the bundle, which the service runs also where this command was started from the sources or with npx. */
function bundle(): string {
  const started = realpathSync(process.argv[1] ?? '')
  if (basename(started) === BUNDLE) return started
  // The program was started as `scripts/run.mjs`, or as `server/cli/main.ts` with tsx.
  const root = join(dirname(started), basename(started) === 'main.ts' ? '../..' : '..')
  const path = join(root, 'dist', BUNDLE)
  if (!existsSync(path)) throw new Error(`The program must be built first, with npm start: ${path} is missing.`)
  return path
}

const optionsFrom = ({ dataDir, user }: Pick<Options, 'dataDir' | 'user'>): InstallOptions => ({
  user,
  dataDir: resolve(dataDir),
  node: realpathSync(process.execPath),
  program: bundle(),
  configFile: machineFile({ environment: {}, platform: 'linux' }),
})

function supported(host: Host): Host {
  if (process.platform === 'linux') return host
  throw new Error('This is for Linux with systemd. For Windows see docs/operators-guide/service.md.')
}

function install({ to, ...given }: Options, command: Command) {
  if (!/^[a-z_][a-z0-9_-]{0,30}$/.test(given.user)) command.error(`${given.user} cannot be the name of an account.`, { exitCode: 2 })
  const options = optionsFrom(given)
  if (!to) return installService(options, supported(thisHost()), console.log)
  writeFileSync(to, unitText(options, thisHost()))
  console.log(
    `Wrote the unit into ${to}; nothing else was changed. It needs the account ${options.user}, and settings in ${options.configFile}.`,
  )
  console.log(`On the machine: sudo cp ${to} ${UNIT_FILE} && sudo systemctl daemon-reload && sudo systemctl enable --now ${SERVICE}`)
}

function status() {
  const host = supported(thisHost())
  const { installed, enabled, active } = serviceState(host)
  if (!installed) console.log('No service of Markbook is installed here. To install it: sudo markbook service install')
  else if (!host.hasSystemd) console.log('The unit is installed, but systemd does not run here.')
  else
    console.log(`The service is ${active}; it ${enabled ? 'starts' : 'does not start'} with the machine. Its log: journalctl -u ${SERVICE}`)
  if (active !== 'active') process.exitCode = 3
}
