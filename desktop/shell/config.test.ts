import { describe, expect, test } from 'vitest'
import { foldersOf, instanceSocket, type Machine, serverEnvironment } from './config.ts'

const linux = (environment: Record<string, string> = {}): Machine => ({
  platform: 'linux',
  environment,
  home: '/home/ada',
  hostname: 'ada-laptop',
})
const windows = (environment: Record<string, string> = {}): Machine => ({
  ...linux(environment),
  platform: 'win32',
  home: 'C:\\Users\\Ada',
})

describe('where the program keeps what is the user’s', () => {
  test.each([
    [linux(), '/home/ada/.local/share/markbook'],
    [linux({ XDG_DATA_HOME: '/srv/ada' }), '/srv/ada/markbook'],
    [linux({ XDG_DATA_HOME: 'srv' }), '/home/ada/.local/share/markbook'],
    [windows({ LOCALAPPDATA: 'D:\\Local' }), 'D:\\Local\\Markbook'],
    [windows(), 'C:\\Users\\Ada\\AppData\\Local\\Markbook'],
    [{ ...linux(), platform: 'darwin' } as Machine, '/home/ada/Library/Application Support/Markbook'],
  ])('%o', (machine, own) => {
    expect(foldersOf(machine).root).toBe(own)
  })

  test('two users have different sockets, and one user always has the same', () => {
    const place = (machine: Machine) => instanceSocket(machine, foldersOf(machine))
    expect(place(linux())).toBe(place(linux()))
    expect(place(linux({ XDG_RUNTIME_DIR: '/run/user/1000' }))).toMatch(/^\/run\/user\/1000\/markbook-[0-9a-f]{16}\.sock$/)
    expect(place(windows())).toMatch(/^\\\\\.\\pipe\\markbook-[0-9a-f]{16}$/)
    expect(place(windows())).not.toBe(place({ ...windows(), home: 'C:\\Users\\Ben' }))
  })
})

describe('the server of a laptop', () => {
  const env = {
    PATH: '/usr/bin',
    LANG: 'fr_FR.UTF-8',
    DATABASE_URL: 'postgres://elsewhere',
    PORT: '80',
    LAN: 'true',
    HTTP_PROXY: 'x',
  }
  const environment = serverEnvironment(linux(env), foldersOf(linux()), { port: 40_000, secret: 's'.repeat(43) })

  test('has its own folder, settings and cookies, and listens on this computer only', () => {
    expect(environment).toEqual({
      PATH: '/usr/bin',
      LANG: 'fr_FR.UTF-8',
      MARKBOOK_CONFIG: '/home/ada/.local/share/markbook/markbook.conf',
      DATA_DIR: '/home/ada/.local/share/markbook/marks',
      HOST: '127.0.0.1',
      PORT: '40000',
      PUBLIC_URL: 'http://127.0.0.1:40000',
      PROJECT_REF: 'desktop',
      NODE_NAME: 'ada-laptop',
      WINDOW_SECRET: 's'.repeat(43),
    })
  })
})
