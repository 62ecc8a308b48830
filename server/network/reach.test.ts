import { expect, test } from 'vitest'
import { mayBeServer } from './reach.ts'

const named = (...addresses: string[]) =>
  mayBeServer(new URL('https://marks.school.example'), async () => addresses.map((address) => ({ address })))

test.each([
  'http://0.0.0.0:3000',
  'http://0:3000',
  'http://169.254.169.254',
  'http://2852039166/latest',
  'http://[::ffff:169.254.169.254]',
  'http://[fd00:ec2::254]',
  'http://[::]',
  'http://[ff02::1]',
  'http://224.0.0.251',
  'http://255.255.255.255',
])('no server stands at %s', async (address) => {
  expect(await mayBeServer(new URL(address))).toBe(false)
})

test.each([
  'http://127.0.0.1:3000',
  'http://192.168.1.10:3000',
  'https://10.0.0.1',
  'http://169.254.7.7',
  'https://203.0.113.9',
  'http://[::1]:3000',
  'http://[fd00::20]',
])('a server may stand at %s', async (address) => {
  expect(await mayBeServer(new URL(address))).toBe(true)
})

test('a name is no way around it, also where one of its addresses is a school’s', async () => {
  expect(await named('169.254.169.254')).toBe(false)
  expect(await named('192.168.1.10', '::ffff:169.254.169.254')).toBe(false)
  expect(await named('192.168.1.10', 'fd00::20')).toBe(true)
})

test('a name that is not found may be a server’s: the line says that nobody answers', async () => {
  const lost = async () => {
    throw new Error('ENOTFOUND')
  }
  expect(await mayBeServer(new URL('https://marks.school.example'), lost)).toBe(true)
})
