import { type Machine, pathsOf } from './config.ts'

/** What a search for a browser may look at; the real ones look at the disk and the registry. */
export type Looking = {
  exists: (path: string) => boolean
  realPath: (path: string) => string
  registered: (program: string) => string | null
}

const ON_WINDOWS = [
  ['Microsoft', 'Edge', 'Application', 'msedge.exe'],
  ['Google', 'Chrome', 'Application', 'chrome.exe'],
  ['Chromium', 'Application', 'chrome.exe'],
] as const
const REGISTERED = ['msedge.exe', 'chrome.exe'] as const
const ON_MAC = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]
/** In this order: what comes from its maker or from the distribution, then what is shut into a box of its own. */
const ON_LINUX = [
  'google-chrome-stable',
  'google-chrome',
  'microsoft-edge-stable',
  'microsoft-edge',
  'chromium',
  'chromium-browser',
  'chromium-freeworld',
]

function places({ platform, environment, home }: Machine): string[] {
  if (platform === 'win32') {
    const { join } = pathsOf({ platform })
    const roots = ['ProgramFiles(x86)', 'ProgramFiles', 'LOCALAPPDATA'].flatMap((name) => environment[name] ?? [])
    return ON_WINDOWS.flatMap((parts) => roots.map((root) => join(root, ...parts)))
  }
  if (platform === 'darwin') return [...ON_MAC, ...ON_MAC.map((path) => `${home}${path}`)]
  const folders = (environment['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'))
  return ON_LINUX.flatMap((name) => [...folders, '/usr/bin', '/usr/local/bin', '/snap/bin'].map((folder) => `${folder}/${name}`))
}

/** A Chrome, Edge or Chromium of this machine; null where there is none. */
export function findBrowser(machine: Machine, { exists, registered }: Looking): string | null {
  const found = places(machine).find(exists)
  if (found || machine.platform !== 'win32') return found ?? null
  return REGISTERED.map(registered).find((path) => path !== null && exists(path)) ?? null
}

/** A browser in a snap may not write to hidden folders; it has one that is its own. */
export function profileFor(browser: string, machine: Machine, profile: string, { realPath }: Pick<Looking, 'realPath'>): string {
  const isSnap = machine.platform === 'linux' && (browser.startsWith('/snap/') || realPath(browser) === '/usr/bin/snap')
  return isSnap ? `${machine.home}/snap/chromium/common/markbook` : profile
}

export type WindowOptions = { url: string; profile: string; flags: readonly string[] }

/** A window of its own, without what a browser else shows or does by itself. */
export const browserArguments = ({ url, profile, flags }: WindowOptions): string[] => [
  `--app=${url}`,
  `--user-data-dir=${profile}`,
  '--class=Markbook',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-mode',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-features=Translate,OptimizationHints,MediaRouter',
  '--remote-debugging-pipe',
  ...flags,
]

type Preferences = { download?: object; translate?: object; [name: string]: unknown }

/** What the browser shall know of us: where a file is saved is asked for, and the browser offers no help of its own. */
export const withOurPreferences = ({ download, translate, ...rest }: Preferences): Preferences => ({
  ...rest,
  download: { ...download, prompt_for_download: true },
  translate: { ...translate, enabled: false },
  credentials_enable_service: false,
})
