import { createHash } from 'node:crypto'
import { homedir, hostname } from 'node:os'
import { posix, win32 } from 'node:path'

/** What the machine says of itself, read here alone. */
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
 * Where the program keeps what is the user's own. `marks`: the folder of the server, its database in it. `profile`: of the browser that
 * shows the window. `state`: what is remembered from start to start. `settings`: for the server, and for this one alone.
 */
export type Folders = { own: string; marks: string; profile: string; state: string; settings: string; log: string; problem: string }

export const pathsOf = ({ platform }: Pick<Machine, 'platform'>) => (platform === 'win32' ? win32 : posix)

/** The folder of the user's data as the system has it; never one that is carried along or synchronised by the system. */
function dataFolder(machine: Machine): string {
  const { platform, environment, home } = machine
  const { join } = pathsOf(machine)
  if (platform === 'win32') return join(environment['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'Markbook')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Markbook')
  const given = environment['XDG_DATA_HOME']
  // The specification of XDG: what is not absolute does not count.
  return join(given?.startsWith('/') ? given : join(home, '.local', 'share'), 'markbook')
}

export function foldersOf(machine: Machine): Folders {
  const { join } = pathsOf(machine)
  const own = dataFolder(machine)
  return {
    own,
    marks: join(own, 'marks'),
    profile: join(own, 'window'),
    state: join(own, 'program.json'),
    settings: join(own, 'markbook.conf'),
    log: join(own, 'markbook.log'),
    problem: join(own, 'problem.html'),
  }
}

/** Where a second start finds the first: a socket that belongs to this user's folder. */
export function meetingPlace(machine: Machine, { own }: Folders): string {
  const mark = createHash('sha256').update(own).digest('hex').slice(0, 16)
  if (machine.platform === 'win32') return `\\\\.\\pipe\\markbook-${mark}`
  const { join } = pathsOf(machine)
  return join(machine.environment['XDG_RUNTIME_DIR'] || own, `markbook-${mark}.sock`)
}

/** What a program needs of the system, and nothing that a server would take for a setting. */
const PASSED_ON =
  /^(PATH|HOME|USER|USERNAME|LOGNAME|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|SYSTEMROOT|WINDIR|SYSTEMDRIVE|COMSPEC|PATHEXT|USERPROFILE|APPDATA|LOCALAPPDATA|PROGRAMDATA|NODE_EXTRA_CA_CERTS)$/i

export type ServerSettings = { port: number; secret: string }

/** The environment of the server: its own folder, this machine alone, and cookies of its own. */
export function serverEnvironment(
  machine: Machine,
  { marks, settings }: Folders,
  { port, secret }: ServerSettings,
): Record<string, string> {
  const passed = Object.entries(machine.environment).filter(([name, value]) => value !== undefined && PASSED_ON.test(name))
  return {
    ...(Object.fromEntries(passed) as Record<string, string>),
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

/** Waiting, in ms. */
export const times = {
  /** How long a server may take from its start until it answers: a large database is brought to a new version meanwhile. */
  ready: 180_000,
  /** How often it is asked. */
  ask: 50,
  /** Before a server that ended is started again: the first time, the second, … and then always the last. */
  restart: [0, 500, 1_000, 2_000, 5_000, 10_000, 30_000],
  /** A server that ran this long ended for another reason than the one before. */
  sound: 60_000,
  /** How long nobody may be connected until the server is stopped, once the browser has ended. */
  quiet: 15_000,
  /** How long a server may take to finish what is in flight. */
  drain: 20_000,
  /** A browser that ends in such a time has shown nothing. */
  soon: 5_000,
  /** How long the browser may take to answer. */
  browser: 3_000,
} as const
