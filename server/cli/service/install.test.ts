import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Host } from './host.ts'
import { installService, PACKAGED_UNIT, serviceState, UNIT_FILE, uninstallService } from './install.ts'

const options = {
  user: 'markbook',
  node: '/usr/bin/node',
  program: '/opt/markbook/dist/markbook.mjs',
  configFile: '/etc/markbook/markbook.conf',
  dataDir: '/var/lib/markbook',
}

/** A machine whose root is a folder. `ran` are the commands that it was given, `answers` the results to give. */
let host: Host & { ran: string[]; answers: Record<string, { status: number; output: string }> }
let said: string[]
const say = (line: string) => void said.push(line)
const text = (path: string) => readFileSync(host.root + path, 'utf8')
const put = (path: string, content: string) => {
  mkdirSync(dirname(host.root + path), { recursive: true })
  writeFileSync(host.root + path, content)
}

beforeEach(() => {
  said = []
  const ran: string[] = []
  const answers = { 'id -u markbook': { status: 1, output: 'no such user' } }
  const run: Host['run'] = (command, args) => {
    const line = [command, ...args].join(' ')
    ran.push(line)
    return host.answers[line] ?? { status: 0, output: '' }
  }
  host = { isRoot: true, hasSystemd: true, root: mkdtempSync(join(tmpdir(), 'markbook-host-')), run, ran, answers }
})
afterEach(() => rmSync(host.root, { recursive: true, force: true }))

describe('markbook service install', () => {
  test('makes the account, the folder, the settings, the command and the unit, starts it, and prints each', () => {
    installService(options, host, say)
    expect(host.ran).toEqual([
      'id -u markbook',
      'useradd --system --user-group --home-dir /var/lib/markbook --no-create-home --shell /usr/sbin/nologin markbook',
      `chown -R --no-dereference markbook:markbook ${host.root}/var/lib/markbook`,
      `chown root:markbook ${host.root}/etc/markbook/markbook.conf`,
      'systemctl daemon-reload',
      'systemctl enable markbook',
      'systemctl restart markbook',
    ])
    expect(text(UNIT_FILE)).toContain('ExecStart=/usr/bin/node /opt/markbook/dist/markbook.mjs start\n')
    expect(text(options.configFile)).toMatch(/^DATA_DIR=\/var\/lib\/markbook$[\s\S]*^LAN=true$/m)
    expect(text('/usr/local/bin/markbook')).toBe(`#!/bin/sh\nexec '/usr/bin/node' '/opt/markbook/dist/markbook.mjs' "$@"\n`)
    const mode = (path: string) => statSync(host.root + path).mode & 0o777
    expect([UNIT_FILE, options.configFile, '/usr/local/bin/markbook', '/etc/markbook'].map(mode)).toEqual([0o644, 0o640, 0o755, 0o755])
    expect(said).toHaveLength(6)
  })

  test('a second time keeps account and settings, and writes the unit by the settings', () => {
    host.answers = {}
    put(options.configFile, 'DATA_DIR=/srv/marks\nPORT=443\nBACKUP_COPY_DIR=/mnt/usb\n')
    installService(options, host, say)
    expect(host.ran.some((line) => line.startsWith('useradd'))).toBe(false)
    expect(text(options.configFile)).toContain('PORT=443')
    expect(text(UNIT_FILE)).toMatch(/ReadWritePaths=\/srv\/marks\nReadWritePaths=-\/mnt\/usb\n/)
    expect(text(UNIT_FILE)).toContain('AmbientCapabilities=CAP_NET_BIND_SERVICE')
  })

  test('changes nothing without root, without systemd or with a program that its account cannot read', () => {
    const refused = (given: Partial<Host>, line: RegExp) => {
      expect(() => installService(options, { ...host, ...given }, say)).toThrow(line)
      expect(existsSync(host.root + UNIT_FILE)).toBe(false)
      expect(host.ran).toEqual([])
    }
    refused({ isRoot: false }, /sudo markbook service install/)
    refused({ hasSystemd: false }, /--to markbook\.service/)
    put(options.program, '')
    chmodSync(join(host.root, '/opt/markbook'), 0o700)
    refused({}, /may not enter \/opt\/markbook\. Move the program/)
  })

  test('changes nothing where the service came with its package, and says how that one may write to a second disk', () => {
    put(PACKAGED_UNIT, 'of the package')
    const refusal = () => {
      try {
        installService(options, host, say)
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(refusal()).toBe(
      'The service came with its package; nothing was changed. After a change of settings: sudo systemctl restart markbook',
    )
    put(options.configFile, 'BACKUP_COPY_DIR=/media/usb/markbook\n')
    expect(refusal()).toContain(
      String.raw`printf '[Service]\nReadWritePaths=-/media/usb/markbook\n' | sudo tee /etc/systemd/system/markbook.service.d/backups.conf`,
    )
    expect(existsSync(host.root + UNIT_FILE)).toBe(false)
    expect(host.ran).toEqual([])
  })

  test('a second unit over that of the package is named, and uninstall leaves that of the package', () => {
    installService(options, host, say)
    put(PACKAGED_UNIT, 'of the package')
    expect(() => installService(options, host, say)).toThrow(/There are two units.*sudo markbook service uninstall/)
    uninstallService(options, host, say)
    expect(existsSync(host.root + UNIT_FILE)).toBe(false)
    expect(text(PACKAGED_UNIT)).toBe('of the package')
    expect(said).toContain('That of the package stays. To start it: sudo systemctl enable --now markbook')
  })

  test('the output of a command that fails is in the error', () => {
    host.answers['systemctl enable markbook'] = { status: 1, output: 'Access denied' }
    expect(() => installService(options, host, say)).toThrow('systemctl enable markbook failed: Access denied')
  })
})

describe('markbook service uninstall and status', () => {
  test('uninstall removes the unit, and keeps marks and settings', () => {
    installService(options, host, say)
    host.ran.length = 0
    uninstallService(options, host, say)
    expect(host.ran).toEqual(['systemctl disable --now markbook', 'systemctl daemon-reload'])
    expect(existsSync(host.root + UNIT_FILE)).toBe(false)
    expect(existsSync(`${host.root}/var/lib/markbook`)).toBe(true)
    expect(text(options.configFile)).toContain('LAN=true')
    expect(() => uninstallService(options, host, say)).toThrow('No service of Markbook is installed here.')
  })

  test('uninstall of a service that came with a package names the package', () => {
    put(PACKAGED_UNIT, '')
    expect(() => uninstallService(options, host, say)).toThrow('The service came with its package: sudo apt remove markbook-server')
  })

  test('status returns what systemd answers', () => {
    expect(serviceState(host).installed).toBe(false)
    installService(options, host, say)
    host.answers = {
      'systemctl is-enabled markbook': { status: 0, output: 'enabled' },
      'systemctl is-active markbook': { status: 3, output: 'activating' },
    }
    expect(serviceState(host)).toEqual({ installed: true, enabled: true, active: 'activating' })
  })
})
