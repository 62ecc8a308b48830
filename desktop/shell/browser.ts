import { type Machine, pathsOf } from './config.ts'

/** What the search for a browser may look at. */
export type SystemLookup = {
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
/** Packages of the maker or the distribution before snaps. */
const ON_LINUX = [
  'google-chrome-stable',
  'google-chrome',
  'microsoft-edge-stable',
  'microsoft-edge',
  'chromium',
  'chromium-browser',
  'chromium-freeworld',
]

/** Where browsers are installed, the preferred one first. */
function installPaths({ platform, environment, home }: Machine): string[] {
  if (platform === 'win32') {
    const { join } = pathsOf({ platform })
    const roots = ['ProgramFiles(x86)', 'ProgramFiles', 'LOCALAPPDATA'].flatMap((name) => environment[name] ?? [])
    return ON_WINDOWS.flatMap((parts) => roots.map((root) => join(root, ...parts)))
  }
  if (platform === 'darwin') return [...ON_MAC, ...ON_MAC.map((path) => `${home}${path}`)]
  const folders = (environment['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'))
  return ON_LINUX.flatMap((name) => [...folders, '/usr/bin', '/usr/local/bin', '/snap/bin'].map((folder) => `${folder}/${name}`))
}

/** Path of a Chrome, Edge or Chromium; null where there is none. */
export function findBrowser(machine: Machine, { exists, registered }: SystemLookup): string | null {
  const found = installPaths(machine).find(exists)
  if (found || machine.platform !== 'win32') return found ?? null
  return REGISTERED.map(registered).find((path) => path !== null && exists(path)) ?? null
}

/** A snap cannot write to hidden folders; it gets a folder of its own. */
export function profileFor(browser: string, machine: Machine, profile: string, { realPath }: Pick<SystemLookup, 'realPath'>): string {
  const isSnap = machine.platform === 'linux' && (browser.startsWith('/snap/') || realPath(browser) === '/usr/bin/snap')
  return isSnap ? `${machine.home}/snap/chromium/common/markbook` : profile
}

export type WindowOptions = { url: string; profile: string; flags: readonly string[] }

/** Arguments for an app window without other features of the browser. */
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

export type Preferences = { download?: object; translate?: object; [name: string]: unknown }

/** Preferences: ask where to save a file, offer no translation and no password storage. */
export const withAppPreferences = ({ download, translate, ...rest }: Preferences): Preferences => ({
  ...rest,
  download: { ...download, prompt_for_download: true },
  translate: { ...translate, enabled: false },
  credentials_enable_service: false,
})
