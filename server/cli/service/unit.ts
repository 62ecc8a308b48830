import { isAbsolute } from 'node:path'

/** What a unit is made of; all paths are absolute. A `port` below 1024 needs a capability. */
export type UnitOptions = {
  user: string
  node: string
  program: string
  args: readonly string[]
  configFile: string
  dataDir: string
  port: number
  /** Folders outside `dataDir` that the server writes to, which are those of backups. */
  writes: readonly string[]
}

/** The folder of systemd for the data of services. systemd itself can make a data folder only below it. */
const STATE = '/var/lib/'

/**
 * The text of the unit (docs/design/server.md). The program may write to its own folders only, and sees little of the machine. Left out on
 * purpose: MemoryDenyWriteExecute (V8 makes code while it runs), MemoryMax (it would kill the server while people work; queues and caches
 * have their own limits), WatchdogSec (it needs a signal that Node cannot send).
 */
export function unitOf({ user, node, program, args, configFile, dataDir, port, writes }: UnitOptions): string {
  const command = [node, program, ...args].map(quoted).join(' ')
  const inHome = [node, program].some((path) => /^\/(home|root|run\/user)\//.test(path))
  const lines = [
    '# Written by: markbook service install',
    '[Unit]',
    'Description=Markbook, the marks of this school',
    'Wants=network-online.target',
    'After=network-online.target',
    '# A server that fails is started again, for as long as it takes.',
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    'Type=exec',
    `User=${user}`,
    `Group=${user}`,
    `ExecStart=${command}`,
    `Environment=NODE_ENV=production ${quoted(`MARKBOOK_CONFIG=${configFile}`)}`,
    `WorkingDirectory=${escaped(dataDir)}`,
    ...stateOf(dataDir),
    ...writes.map((path) => `ReadWritePaths=-${quoted(path)}`),
    'Restart=always',
    'RestartSec=2',
    '# What is in flight is finished first, at most 10 s.',
    'TimeoutStopSec=30',
    'KillMode=mixed',
    'UMask=0077',
    'LimitNOFILE=65536',
    '',
    'NoNewPrivileges=yes',
    ...(port > 0 && port < 1024
      ? ['AmbientCapabilities=CAP_NET_BIND_SERVICE', 'CapabilityBoundingSet=CAP_NET_BIND_SERVICE']
      : ['CapabilityBoundingSet=', 'PrivateUsers=yes']),
    'ProtectSystem=strict',
    `ProtectHome=${inHome ? 'read-only' : 'yes'}`,
    ...HARDENING,
    '',
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ]
  return lines.join('\n')
}

/** AF_NETLINK is needed to read the addresses of the machine. */
const HARDENING = [
  'PrivateTmp=yes',
  'PrivateDevices=yes',
  'ProtectClock=yes',
  'ProtectControlGroups=yes',
  'ProtectHostname=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelTunables=yes',
  'ProtectProc=invisible',
  'LockPersonality=yes',
  'RemoveIPC=yes',
  'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
  'RestrictNamespaces=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'SystemCallArchitectures=native',
  'SystemCallFilter=@system-service',
  'SystemCallFilter=~@privileged @resources',
  'SystemCallErrorNumber=EPERM',
]

const stateOf = (dataDir: string): string[] => {
  const below = dataDir.startsWith(STATE) ? dataDir.slice(STATE.length) : ''
  return below && /^[\w./-]+$/.test(below) ? [`StateDirectory=${below}`, 'StateDirectoryMode=0700'] : [`ReadWritePaths=${quoted(dataDir)}`]
}

/** In a unit `%` begins a specifier, and `$` a variable. */
const escaped = (text: string) => text.replaceAll('%', '%%')
const quoted = (text: string) => {
  const safe = escaped(text).replaceAll('$', '$$$$')
  return /^[\w./:=@%+-]+$/.test(safe) ? safe : `"${safe.replace(/["\\]/g, '\\$&')}"`
}

/** Whether a path can stand in a unit: absolute, and without control characters. */
export const isUnitPath = (path: string): boolean => isAbsolute(path) && !/\p{Cc}/u.test(path)

/** The settings file of a new service. */
export const firstSettings = (
  dataDir: string,
): string => `# Settings of Markbook on this machine. After a change: sudo systemctl restart markbook
# All of them, and what they are now: sudo markbook config

DATA_DIR=${dataDir}
# For the whole building; without this line the server is for this machine alone.
LAN=true
# SMTP_URL=smtps://user:password@mail.school.example
# BACKUP_COPY_DIR=/mnt/usb/markbook
`
