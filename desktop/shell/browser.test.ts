import { describe, expect, test } from 'vitest'
import { browserArguments, findBrowser, profileFor, type SystemLookup, withAppPreferences } from './browser.ts'
import type { Machine } from './config.ts'
import { noBrowser, wordsFor } from './words.ts'

const systemLookup = (there: readonly string[], registered: Record<string, string> = {}): SystemLookup => ({
  exists: (path) => there.includes(path),
  realPath: (path) => (path === '/usr/bin/chromium-browser' ? '/usr/bin/snap' : path),
  registered: (program) => registered[program] ?? null,
})
const linux: Machine = { platform: 'linux', environment: { PATH: '/usr/bin:relative:/opt/bin' }, home: '/home/ada', hostname: 'x' }
const windows: Machine = {
  platform: 'win32',
  environment: { 'ProgramFiles(x86)': 'C:\\Program Files (x86)', ProgramFiles: 'C:\\Program Files', LOCALAPPDATA: 'C:\\Local' },
  home: 'C:\\Users\\Ada',
  hostname: 'x',
}
const EDGE = 'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe'
const CHROME = 'C:\\Local\\Google\\Chrome\\Application\\chrome.exe'

describe('the browser of this machine', () => {
  test.each([
    ['Debian’s', linux, systemLookup(['/usr/bin/chromium']), '/usr/bin/chromium'],
    ['somewhere on the PATH', linux, systemLookup(['/opt/bin/microsoft-edge']), '/opt/bin/microsoft-edge'],
    ['its maker’s before one in a snap', linux, systemLookup(['/snap/bin/chromium', '/usr/bin/google-chrome']), '/usr/bin/google-chrome'],
    ['none', linux, systemLookup(['relative/chromium']), null],
    ['Edge, which every Windows has', windows, systemLookup([EDGE, CHROME]), EDGE],
    ['one that a user installed alone', windows, systemLookup([CHROME]), CHROME],
    ['one that only the registry knows', windows, systemLookup(['E:\\edge.exe'], { 'msedge.exe': 'E:\\edge.exe' }), 'E:\\edge.exe'],
    ['one that the registry knows and that is gone', windows, systemLookup([], { 'msedge.exe': 'E:\\edge.exe' }), null],
  ])('%s', (_what, machine, at, found) => {
    expect(findBrowser(machine, at)).toBe(found)
  })

  test('without a browser the message in the user’s language says which one to install', () => {
    expect(noBrowser(wordsFor('en-IE'), 'linux')).toContain('sudo apt install chromium')
    expect(noBrowser(wordsFor('fr_FR'), 'win32')).toContain('Installez Google Chrome ou Microsoft Edge')
  })
})

describe('its profile', () => {
  test.each([
    ['/usr/bin/chromium', '/own/window'],
    ['/snap/bin/chromium', '/home/ada/snap/chromium/common/markbook'],
    ['/usr/bin/chromium-browser', '/home/ada/snap/chromium/common/markbook'],
  ])('%s', (browser, profile) => {
    expect(profileFor(browser, linux, '/own/window', systemLookup([]))).toBe(profile)
  })

  test('asks where to save a file, and keeps the user’s other preferences', () => {
    expect(withAppPreferences({ download: { default_directory: '/home/ada' }, spellcheck: { on: true } })).toEqual({
      download: { default_directory: '/home/ada', prompt_for_download: true },
      spellcheck: { on: true },
      translate: { enabled: false },
      credentials_enable_service: false,
    })
  })

  test('is in the app’s own folder, and the window has neither tabs nor an address bar', () => {
    const given = browserArguments({ url: 'http://127.0.0.1:1/', profile: '/own/window', flags: ['--lang=fr'] })
    expect(given).toEqual(expect.arrayContaining(['--app=http://127.0.0.1:1/', '--user-data-dir=/own/window', '--lang=fr']))
  })
})
