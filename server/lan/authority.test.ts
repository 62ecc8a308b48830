import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { keepCertificates, readCertificates, removeAuthority } from './authority.ts'
import { expiryOf, isAboutToEnd, makeCertificate, summaryOf, toDer } from './certificate.ts'

const DAY = 86_400_000
const NOW = Date.parse('2027-03-01T08:00:00Z')
const names = { dns: ['box', 'localhost'], ips: ['192.168.1.20', 'fd00::20'] }
const wanted = { hostname: 'box', names, now: NOW }
let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'markbook-tls-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

describe('the certificates of a school', () => {
  test('an authority of ten years and a certificate of one are made once, for this account alone', async () => {
    const first = await keepCertificates(dataDir, wanted)
    expect(first.notes).toHaveLength(2)
    expect(Math.round((expiryOf(first.authority) - NOW) / DAY)).toBe(3_650)
    const { from, until, names: shown } = summaryOf(first.server)
    expect(until - from).toBeLessThanOrEqual(398 * DAY)
    expect(shown).toEqual(expect.arrayContaining(['box', 'localhost', '192.168.1.20']))
    for (const file of ['authority.pem', 'server.pem']) expect(statSync(join(dataDir, 'tls', file)).mode & 0o777).toBe(0o600)
    expect(statSync(join(dataDir, 'tls')).mode & 0o777).toBe(0o700)
    const again = await keepCertificates(dataDir, wanted)
    expect(again).toEqual({ ...first, notes: [] })
  })

  test('the authority may vouch for servers only, and the certificate may vouch for nobody', async () => {
    const { authority, server } = await keepCertificates(dataDir, wanted)
    const [issuer, issued] = [new X509Certificate(authority.cert), new X509Certificate(server.cert)]
    expect([issuer.ca, issued.ca]).toEqual([true, false])
    expect(issued.verify(issuer.publicKey)).toBe(true)
    expect(issued.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
  })

  test('a new address gets a new certificate of the same authority; an address that has gone changes nothing', async () => {
    const first = await keepCertificates(dataDir, wanted)
    const fewer = await keepCertificates(dataDir, { ...wanted, names: { dns: ['box'], ips: [] } })
    expect(fewer.server).toEqual(first.server)
    const moved = await keepCertificates(dataDir, { ...wanted, names: { dns: ['box'], ips: ['10.0.0.7'] } })
    expect(moved.authority).toEqual(first.authority)
    expect(moved.server.cert).not.toBe(first.server.cert)
    expect(summaryOf(moved.server).names).toContain('10.0.0.7')
  })

  test('a month before the end it is renewed, and the authority stays', async () => {
    const first = await keepCertificates(dataDir, wanted)
    const before = await keepCertificates(dataDir, { ...wanted, now: expiryOf(first.server) - 31 * DAY })
    expect(before.server).toEqual(first.server)
    const after = await keepCertificates(dataDir, { ...wanted, now: expiryOf(first.server) - 29 * DAY })
    expect(after.authority).toEqual(first.authority)
    expect(expiryOf(after.server)).toBeGreaterThan(expiryOf(first.server))
  })

  test('a certificate that its authority lets live for a month only is used for most of it', async () => {
    const { authority } = await keepCertificates(dataDir, wanted)
    const madeAt = expiryOf(authority) - 31 * DAY
    const short = await makeCertificate(authority, names, madeAt)
    expect([2, 19, 22].map((days) => isAboutToEnd(short, madeAt + days * DAY))).toEqual([false, false, true])
  })

  test('a file that cannot be read is not taken for an absent one', () => {
    mkdirSync(join(dataDir, 'tls', 'authority.pem'), { recursive: true })
    expect(() => readCertificates(dataDir)).toThrow('EISDIR')
  })

  test('no certificate outlives its authority, and an authority that is about to end is followed by another', async () => {
    const { authority } = await keepCertificates(dataDir, wanted)
    const late = await keepCertificates(dataDir, { ...wanted, now: expiryOf(authority) - 60 * DAY })
    expect(late.authority).toEqual(authority)
    expect(expiryOf(late.server)).toBe(expiryOf(authority))
    const next = await keepCertificates(dataDir, { ...wanted, now: expiryOf(authority) - 29 * DAY })
    expect(next.authority).not.toEqual(authority)
    expect(next.notes.join(' ')).toContain('about to end')
  })

  test('a clock that has fallen back to 1970 makes certificates that hold once it is set', async () => {
    const { server } = await keepCertificates(dataDir, { ...wanted, now: 0 })
    expect(expiryOf(server)).toBeGreaterThan(Date.parse('2026-12-01'))
  })

  test('a clock that is wrong for a day costs no device its trust: the authority stays, and is good today', async () => {
    const first = await keepCertificates(dataDir, wanted)
    expect(summaryOf(first.authority).from).toBeLessThan(Date.parse('2026-01-01'))
    for (const now of [0, NOW - 300 * DAY, NOW + 400 * DAY, NOW]) {
      const { authority, server } = await keepCertificates(dataDir, { ...wanted, now })
      expect(authority).toEqual(first.authority)
      expect(expiryOf(server)).toBeGreaterThan(now)
    }
    expect(summaryOf((await keepCertificates(dataDir, wanted)).server).from).toBeLessThan(NOW)
    // Older programs made authorities that begin on their day.
    const begun = await makeCertificate(first.authority, names, NOW)
    writeFileSync(join(dataDir, 'tls', 'authority.pem'), begun.key + begun.cert)
    expect((await keepCertificates(dataDir, { ...wanted, now: NOW - 300 * DAY })).authority).toEqual(begun)
  })

  test('a certificate that was made while the clock was far ahead is made again', async () => {
    const ahead = await keepCertificates(dataDir, { ...wanted, now: NOW + 5_000 * DAY })
    const right = await keepCertificates(dataDir, wanted)
    expect(expiryOf(right.server)).toBeLessThan(expiryOf(ahead.server))
  })

  test.each(['', 'rubbish', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'])(
    'a damaged certificate is replaced, a damaged authority is kept beside its successor: %j',
    async (rubbish) => {
      const first = await keepCertificates(dataDir, wanted)
      writeFileSync(join(dataDir, 'tls', 'server.pem'), rubbish)
      const mended = await keepCertificates(dataDir, wanted)
      expect(mended.authority).toEqual(first.authority)
      writeFileSync(join(dataDir, 'tls', 'authority.pem'), rubbish)
      const other = await keepCertificates(dataDir, wanted)
      expect(other.authority).not.toEqual(first.authority)
      expect(other.notes[0]).toContain('damaged')
      expect(readdirSync(join(dataDir, 'tls')).filter((file) => file.startsWith('authority.pem.'))).toHaveLength(1)
    },
  )

  test('`anew` makes the certificate again; a removed authority is followed by one of another name', async () => {
    const first = await keepCertificates(dataDir, wanted)
    const renewed = await keepCertificates(dataDir, { ...wanted, anew: true })
    expect(renewed.authority).toEqual(first.authority)
    expect(renewed.server).not.toEqual(first.server)
    removeAuthority(dataDir, NOW)
    const { authority } = await keepCertificates(dataDir, wanted)
    expect(summaryOf(authority).subject).not.toBe(summaryOf(first.authority).subject)
  })

  test('what is exported for devices is the certificate without its key', async () => {
    const { authority } = await keepCertificates(dataDir, wanted)
    const exported = new X509Certificate(toDer(authority))
    expect(exported.checkPrivateKey(createPrivateKey(authority.key))).toBe(true)
    expect(authority.cert).not.toContain('PRIVATE')
    expect(readCertificates(dataDir).authority).toEqual(authority)
    expect(readFileSync(join(dataDir, 'tls', 'authority.pem'), 'utf8')).toContain('PRIVATE KEY')
  })
})
