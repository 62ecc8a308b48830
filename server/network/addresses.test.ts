import type { NetworkInterfaceInfo } from 'node:os'
import { describe, expect, test } from 'vitest'
import { addressesAt, isInsecure, namesAt, urlOf } from './addresses.ts'

const info = (address: string, internal = false) =>
  ({ address, internal, family: address.includes(':') ? 'IPv6' : 'IPv4', netmask: '', mac: '', cidr: null }) as NetworkInterfaceInfo
const machine = {
  hostname: 'Office_PC.school.lan',
  interfaces: {
    lo: [info('127.0.0.1', true), info('::1', true)],
    docker0: [info('172.17.0.1')],
    tailscale0: [info('100.101.102.103')],
    eth1: [info('169.254.7.7')],
    eth0: [info('203.0.113.9'), info('192.168.1.20'), info('fd00::20'), info('fe80::1')],
  },
}

describe('the addresses of a machine', () => {
  test('a private IPv4 address on a real interface is the best; containers, tunnels and link-local come last', () => {
    expect(addressesAt('0.0.0.0', machine)).toEqual(['192.168.1.20', '203.0.113.9', '172.17.0.1', '100.101.102.103', '169.254.7.7'])
  })

  test('a server on both families has its IPv6 addresses too, without those of one cable', () => {
    expect(addressesAt('::', machine)).toContain('fd00::20')
    expect(addressesAt('::', machine)).not.toContain('fe80::1')
  })

  test('a server on one address has that one; one for its own machine has none', () => {
    expect(addressesAt('192.168.1.20', machine)).toEqual(['192.168.1.20'])
    expect(['127.0.0.1', 'localhost', '::1'].flatMap((host) => addressesAt(host, machine))).toEqual([])
  })

  test('IPv6 stands in brackets, and the usual port is left out', () => {
    expect(urlOf('https', 'fd00::20', 3000)).toBe('https://[fd00::20]:3000')
    expect(urlOf('https', '192.168.1.20', 443)).toBe('https://192.168.1.20')
    expect(urlOf('http', '192.168.1.20', 443)).toBe('http://192.168.1.20:443')
  })
})

describe('the names of a certificate', () => {
  test('the machine, its addresses, markbook.local, this machine itself and the public address; no name that DNS does not know', () => {
    expect(namesAt('192.168.1.20', 'https://marks.school.example:8443', machine)).toEqual({
      dns: ['marks.school.example', 'markbook.local', 'localhost'],
      ips: ['192.168.1.20', '127.0.0.1', '::1'],
    })
    const { dns } = namesAt('0.0.0.0', null, { ...machine, hostname: 'office.school.lan' })
    expect(dns).toEqual(['office', 'localhost', 'office.local', 'office.school.lan', 'markbook.local'])
  })
})

test.each([
  ['http://192.168.1.10:3000', true],
  ['http://centre.example', true],
  ['http://127.evil.example', true],
  ['http://localhost.evil.example', true],
  ['http://[fd00::2]:3000', true],
  ['http://0.0.0.0:3000', true],
  ['https://192.168.1.10:3000', false],
  ['http://localhost:3000', false],
  ['http://127.0.0.1', false],
  ['http://127.8.9.10:3000', false],
  ['http://127.1:3000', false],
  ['http://[::1]:3000', false],
])('%s can be read and changed on the way: %s', (url, expected) => expect(isInsecure(url)).toBe(expected))
