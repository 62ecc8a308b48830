import { createHash } from 'node:crypto'
import { homedir, hostname } from 'node:os'
import { posix, win32 } from 'node:path'

/** Facts about this machine. No other file reads them. */
export type Machine = {
  platform: NodeJS.Platform
  environment: Readonly<Record<string, string | undefined>>
  home: string
  hostname: string
}
export const thisMachine = (): Machine => ({
  platform: process.platform,
  environment: process.env,
  home: homedir(),
  hostname: hostname(),
})

/**
 * Paths of the user's data, all in `root`. `marks`: the folder of the server with its database. `profile`: of the browser that shows the
 * window. `state`: the port of the last start. `settings`: of this server alone.
 */
export type Folders = ReturnType<typeof foldersOf>

export const pathsOf = ({ platform }: Pick<Machine, 'platform'>) => (platform === 'win32' ? win32 : posix)

/** The system's folder for local, unsynchronised data of the user. */
function dataFolder(machine: Machine): string {
  const { platform, environment, home } = machine
  const { join } = pathsOf(machine)
  if (platform === 'win32') return join(environment['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'Markbook')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Markbook')
  const dataHome = environment['XDG_DATA_HOME']
  // XDG: a relative path is ignored.
  return join(dataHome?.startsWith('/') ? dataHome : join(home, '.local', 'share'), 'markbook')
}

export function foldersOf(machine: Machine) {
  const { join } = pathsOf(machine)
  const root = dataFolder(machine)
  return {
    root,
    marks: join(root, 'marks'),
    profile: join(root, 'window'),
    state: join(root, 'program.json'),
    settings: join(root, 'markbook.conf'),
    log: join(root, 'markbook.log'),
    problem: join(root, 'problem.html'),
  }
}

/** The socket on which a later start finds the running one. It depends on the user's data folder. */
export function instanceSocket(machine: Machine, { root }: Folders): string {
  const digest = createHash('sha256').update(root).digest('hex').slice(0, 16)
  if (machine.platform === 'win32') return `\\\\.\\pipe\\markbook-${digest}`
  const { join } = pathsOf(machine)
  return join(machine.environment['XDG_RUNTIME_DIR'] || root, `markbook-${digest}.sock`)
}

/** Environment variables that the server inherits. None of them is one of its settings; by the last two Linux finds the keyring. */
const INHERITED =
  /^(PATH|HOME|USER|USERNAME|LOGNAME|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|SYSTEMROOT|WINDIR|SYSTEMDRIVE|COMSPEC|PATHEXT|USERPROFILE|APPDATA|LOCALAPPDATA|PROGRAMDATA|NODE_EXTRA_CA_CERTS|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR)$/i

export type ServerSettings = { port: number; secret: string }

/** The environment of the server: its own folder, the loopback interface, and its own cookies. */
export function serverEnvironment(
  machine: Machine,
  { marks, settings }: Folders,
  { port, secret }: ServerSettings,
): Record<string, string> {
  const inherited = Object.entries(machine.environment).filter(([name, value]) => value !== undefined && INHERITED.test(name))
  return {
    ...(Object.fromEntries(inherited) as Record<string, string>),
    MARKBOOK_CONFIG: settings,
    DATA_DIR: marks,
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: addressOf(port),
    PROJECT_REF: 'desktop',
    NODE_NAME: machine.hostname.slice(0, 100) || 'Laptop',
    WINDOW_SECRET: secret,
  }
}

export const addressOf = (port: number) => `http://127.0.0.1:${port}`

/** Times, ms. */
export const times = {
  /** Limit from start to first answer; a large database is migrated meanwhile. */
  ready: 180_000,
  /** Interval between readiness checks. */
  poll: 50,
  /** Pauses before restarts; the last one repeats. */
  restart: [0, 500, 1_000, 2_000, 5_000, 10_000, 30_000],
  /** After this run time, an exit does not count as repeated. */
  stable: 60_000,
  /** Time without clients, after the browser has exited, until the server is stopped. */
  idle: 15_000,
  /** Limit for requests in flight when the server stops. */
  drain: 20_000,
  /** A browser that exits this early has shown no window. */
  early: 5_000,
  /** Limit for an answer of the browser or the server. */
  answer: 3_000,
} as const
