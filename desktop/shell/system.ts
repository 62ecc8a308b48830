import { execFileSync, spawnSync } from 'node:child_process'
import { accessSync, constants, realpathSync } from 'node:fs'
import type { SystemLookup } from './browser.ts'

const APP_PATHS = 'SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\App Paths'

function attempt<Found, Otherwise>(look: () => Found, otherwise: Otherwise): Found | Otherwise {
  try {
    return look()
  } catch {
    return otherwise
  }
}

const mayRun = process.platform === 'win32' ? constants.F_OK : constants.X_OK

/** Looks at the disk and the registry of this machine. */
export const systemLookup: SystemLookup = {
  exists: (path) => attempt(() => accessSync(path, mayRun) === undefined, false),
  realPath: (path) => attempt(() => realpathSync(path), path),
  registered: (program) => {
    for (const hive of ['HKCU', 'HKLM']) {
      const query = ['query', `${hive}\\${APP_PATHS}\\${program}`, '/ve']
      const text = attempt(() => execFileSync('reg', query, { encoding: 'utf8', windowsHide: true }), '')
      const path = /REG_SZ\s+"?([^"\r\n]+)"?/.exec(text)?.[1]?.trim()
      if (path) return path
    }
    return null
  },
}

const ON_LINUX: readonly (readonly [string, (message: string) => string[]])[] = [
  ['zenity', (message) => ['--error', '--title=Markbook', '--no-markup', `--text=${message}`]],
  ['kdialog', (message) => ['--title', 'Markbook', '--error', message]],
  ['xmessage', (message) => [message]],
]

/** Shows a message without a window: in a dialog of the system, and always on standard error. */
export function showMessage(message: string): void {
  console.error(message)
  if (process.platform === 'win32') {
    const script = `Add-Type -AssemblyName PresentationFramework; [System.Windows.MessageBox]::Show($env:MARKBOOK_MESSAGE, 'Markbook')`
    spawnSync('powershell', ['-NoProfile', '-NonInteractive', '-Command', script], {
      windowsHide: true,
      env: { ...process.env, MARKBOOK_MESSAGE: message },
    })
  }
  if (process.platform === 'linux' && (process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']))
    for (const [program, argumentsOf] of ON_LINUX) if (spawnSync(program, argumentsOf(message)).error === undefined) return
}
