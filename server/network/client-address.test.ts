import { describe, expect, test } from 'vitest'
import { leastTime } from '../testing/least-time.ts'
import { isNetwork } from './addresses.ts'
import { clientAddress, fairnessKeyOf, networkOf, plain, trustOf } from './client-address.ts'

const proxies = trustOf(['10.0.0.2', '192.168.0.0/16', '2001:db8:f::/48', 'local'])

describe('TRUST_PROXY', () => {
  test.each([
    ['nobody is trusted who is not named', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['a proxy that is trusted names the client', '10.0.0.2', '198.51.100.1', '198.51.100.1'],
    ['what the client wrote itself stands to the left and does not count', '10.0.0.2', '1.1.1.1, 10.0.0.2, 198.51.100.1', '198.51.100.1'],
    ['a chain is followed as far as it is trusted', '10.0.0.2', '1.1.1.1, 198.51.100.1, 192.168.7.7, 10.0.0.2', '198.51.100.1'],
    ['a chain that is trusted whole ends with its first', '10.0.0.2', '192.168.1.1, 192.168.7.7', '192.168.1.1'],
    ['a proxy that says nothing is the client', '10.0.0.2', undefined, '10.0.0.2'],
    ['so is one that says nothing of use', '10.0.0.2', ' , ,', '10.0.0.2'],
    ['a name is no address: the proxy that wrote it is as far as we see', '10.0.0.2', '198.51.100.1, unknown', '10.0.0.2'],
    ['and so is rubbish behind a trusted one', '10.0.0.2', '198.51.100.1, <script>, 192.168.3.3', '192.168.3.3'],
    ['ports of IPv4', '10.0.0.2', '198.51.100.1:4711', '198.51.100.1'],
    ['brackets and ports of IPv6', '10.0.0.2', '[2001:db8::1]:4711', '2001:db8::1'],
    ['IPv6 without brackets', '10.0.0.2', '2001:DB8::1', '2001:db8::1'],
    ['quotes', '10.0.0.2', '"[2001:db8::1]"', '2001:db8::1'],
    ['a socket of both families', '::ffff:10.0.0.2', '198.51.100.1', '198.51.100.1'],
    ['a client of both families', '10.0.0.2', '::ffff:198.51.100.1', '198.51.100.1'],
    ['a zone', 'fe80::1%eth0', undefined, 'fe80::1'],
    ['networks of IPv6', '2001:db8:f:1::5', '198.51.100.1', '198.51.100.1'],
    ['the network beside it', '2001:db8:e:1::5', '198.51.100.1', '2001:db8:e:1::5'],
    ['this machine', '127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['this machine by IPv6', '::1', '198.51.100.1', '198.51.100.1'],
    ['no network at all', undefined, '198.51.100.1', '198.51.100.1'],
  ])('%s', (_what, direct, forwarded, client) => {
    expect(clientAddress(direct, forwarded, proxies)).toBe(client)
  })

  test('without it the header says nothing', () => {
    expect(clientAddress('127.0.0.1', '198.51.100.1', trustOf([]))).toBe('127.0.0.1')
    expect(clientAddress(undefined, '198.51.100.1', trustOf([]))).toBe('local')
  })

  test.each(['10.0.0.1', '10.0.0.0/8', '::1', '2001:db8::/32', '0.0.0.0/0'])('%s is an address or network', (text) => {
    expect(isNetwork(text)).toBe(true)
  })
  test.each(['', 'proxy.example', '10.0.0.0/33', '::1/129', '10.0.0.0/', '10.0.0/8', '10.0.0.0/8/8', '10.0.0.1:80', '*', '10.0.0.0/-1'])(
    '%j is none',
    (text) => {
      expect(isNetwork(text)).toBe(false)
    },
  )

  test('megabytes of header are read in no time', async () => {
    const reading = () => {
      clientAddress('10.0.0.2', '192.168.0.1,'.repeat(100_000), proxies)
      for (const rubbish of ['['.repeat(100_000), `1${'.1'.repeat(50_000)}`, ':'.repeat(100_000)]) expect(plain(rubbish)).toBeNull()
    }
    expect(await leastTime(5_000, reading)).toBeLessThanOrEqual(5_000)
  })
})

describe('what limits count by', () => {
  test.each([
    ['198.51.100.1', '198.51.100.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['2001:0db8::9', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['local', 'local'],
  ])('%s counts as %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })

  test('devices of a private network take turns one by one, owners of a public one together', () => {
    expect(fairnessKeyOf('fe80::1')).toBe('fe80::1')
    expect(fairnessKeyOf('fd00:1::1')).toBe('fd00:1::1')
    expect(fairnessKeyOf('2001:db8:1:2::9')).toBe(fairnessKeyOf('2001:db8:1:2::a'))
    expect(fairnessKeyOf('192.168.1.7')).toBe('192.168.1.7')
  })
})
