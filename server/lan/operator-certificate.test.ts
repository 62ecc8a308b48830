import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { expiryOf, makeAuthority, makeCertificate, type Pair } from './certificate.ts'
import { readOperatorCertificate } from './operator-certificate.ts'

const NOW = Date.parse('2027-03-01T08:00:00Z')
let folder: string
let pair: Pair
let files: { certFile: string; keyFile: string }
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'markbook-given-'))
  const authority = await makeAuthority('ca', NOW)
  pair = await makeCertificate(authority, { dns: ['marks.school.example'], ips: [] }, NOW)
  files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
  writeFileSync(files.certFile, pair.cert)
  writeFileSync(files.keyFile, pair.key)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('a certificate of the operator’s (TLS_CERT_FILE, TLS_KEY_FILE)', () => {
  test('is read as it is', () => expect(readOperatorCertificate(files, NOW)).toEqual(pair))

  test('that is missing, is no certificate, has another key, or has ended, is said in one line', async () => {
    const refused = (given: typeof files, now = NOW) => expect(() => readOperatorCertificate(given, now))
    refused({ ...files, certFile: join(folder, 'none.pem') }).toThrow(/^The file of TLS_CERT_FILE \(.*none\.pem\) does not exist\.$/)
    refused({ ...files, certFile: files.keyFile }).toThrow(/TLS_CERT_FILE .* holds no certificate/)
    refused({ ...files, keyFile: files.certFile }).toThrow(/TLS_KEY_FILE .* holds no private key/)
    const { key } = await makeAuthority('other', NOW)
    writeFileSync(join(folder, 'other.pem'), key)
    refused({ ...files, keyFile: join(folder, 'other.pem') }).toThrow(/do not belong together/)
    refused(files, expiryOf(pair)).toThrow(
      /^The certificate of TLS_CERT_FILE ended on 2028-02-29\. Renew it where it was made; or take .* with LAN=true the server makes its own/,
    )
  })

  test('needs both settings, and contradicts INSECURE_LAN', () => {
    const read = (settings: Record<string, string>) => () => readConfig({ DATA_DIR: folder, ...settings })
    expect(read({ TLS_CERT_FILE: 'a' })).toThrow('The setting TLS_CERT_FILE needs TLS_KEY_FILE beside it.')
    expect(read({ TLS_KEY_FILE: 'a' })).toThrow('The setting TLS_KEY_FILE needs TLS_CERT_FILE beside it.')
    expect(read({ TLS_CERT_FILE: 'a', TLS_KEY_FILE: 'b', INSECURE_LAN: '1' })).toThrow('choose one')
  })
})
