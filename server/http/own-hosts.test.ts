import { describe, expect, test, vi } from 'vitest'
import { readWithoutSecret } from '../config.ts'
import { hostIn, type Machine } from '../network/addresses.ts'
import { ownHosts } from './own-hosts.ts'

const at = (...addresses: string[]) =>
  ({
    hostname: 'Office-PC.school.lan',
    interfaces: { eth0: addresses.map((address) => ({ address })) },
  }) as unknown as Machine
const machine = () => at('192.168.1.20', 'fd00::20')

/** Whether a server with these settings accepts a Host header as its own. */
function knows(settings: Record<string, string>, names: readonly string[] = []) {
  const isOwn = ownHosts(readWithoutSecret(settings, machine), () => names, machine)
  return (header: string) => isOwn(hostIn(header) ?? 'none')
}

describe('the host of a header', () => {
  test.each([
    ['localhost', 'localhost'],
    ['localhost:3000', 'localhost'],
    ['LocalHost.', 'localhost'],
    ['Marks.School.Example.:443', 'marks.school.example'],
    ['marks.école.example', 'marks.xn--cole-9oa.example'],
    ['[::1]', '::1'],
    ['[FD00:0::20]:3000', 'fd00::20'],
    ['192.168.1.20:', '192.168.1.20'],
    ['', null],
    [':3000', null],
    ['::1', null],
    ['[::1', null],
    ['[::1]x', null],
    ['a b', null],
    ['a,localhost', 'a,localhost'],
    ['evil.example@localhost', null],
    ['localhost/..', null],
    ['localhost?', null],
    ['localhost#', null],
    ['localhost\\evil.example', null],
    ['localhost:3000:1', null],
    ['localhost:port', null],
  ])('%j names %j', (header, host) => {
    expect(hostIn(header)).toBe(host)
  })
})

describe('a server knows itself', () => {
  const knownByAll = ['localhost:3000', 'app.localhost', '127.0.0.1', '127.5.6.7:80', '[::1]:3000']
  const knownHere = ['192.168.1.20:3000', '[fd00::20]', 'office-pc', 'OFFICE-PC.school.lan', 'office-pc.local', 'markbook.local:3000']
  const strange = ['evil.example', '192.168.1.21', '0.0.0.0', '[fd00::21]', 'localhost.evil.example', '127.0.0.1.evil.example', 'office']

  test.each([...knownByAll, ...knownHere])('by %s', (header) => expect(knows({})(header)).toBe(true))
  test.each(strange)('not by %s', (header) => expect(knows({ HOST: '0.0.0.0' })(header)).toBe(false))

  test('by PUBLIC_URL, the host it listens on, and the sites of ALLOWED_ORIGINS', () => {
    const isOwn = knows({ PUBLIC_URL: 'https://marks.school.example', HOST: 'Box.Example', ALLOWED_ORIGINS: 'https://app.example, *' })
    for (const own of ['marks.school.example', 'box.example:3000', 'app.example']) expect(isOwn(own)).toBe(true)
    expect(isOwn('school.example')).toBe(false)
  })

  test('by the names of its certificate, a star for one label', () => {
    const isOwn = knows({}, ['*.School.example', '10.9.9.9'])
    for (const own of ['marks.school.example', '10.9.9.9']) expect(isOwn(own)).toBe(true)
    for (const other of ['school.example', 'a.marks.school.example', 'marksschool.example']) expect(isOwn(other)).toBe(false)
  })

  test('by ALLOWED_HOSTS', () => {
    const isOwn = knows({ ALLOWED_HOSTS: 'Marks, *.school.example., 10.1.1.1, fd00::99, box.example:3000' })
    for (const own of ['marks:3000', 'a.school.example', '10.1.1.1', '[fd00::99]:3000', 'box.example']) expect(isOwn(own)).toBe(true)
    for (const other of ['school.example', 'a.b.school.example', 'amarks']) expect(isOwn(other)).toBe(false)
  })

  test.each(['*', '*.', 'a.*.example', '*.*.example', 'https://a.example', 'a b', 'a/b', '[::1'])(
    'ALLOWED_HOSTS=%s stops the start',
    (value) => {
      expect(() => readWithoutSecret({ ALLOWED_HOSTS: value }, machine)).toThrow(/^The setting ALLOWED_HOSTS must be names or addresses/)
    },
  )

  test('by an address that it gets while it runs; addresses are read at most once a second', () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    let now = at('192.168.1.20')
    const look = vi.fn(() => now)
    const isOwn = ownHosts(readWithoutSecret({}, machine), () => [], look)
    expect(isOwn('10.0.0.5')).toBe(false)
    now = at('10.0.0.5')
    for (let times = 0; times < 100; times += 1) expect(isOwn('10.0.0.5')).toBe(false)
    expect(look).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(1_000)
    expect(isOwn('10.0.0.5')).toBe(true)
    vi.useRealTimers()
  })
})
