import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto'
import { limits } from '@markbook/shared/limits'
import type { Names } from '../network/addresses.ts'

/** A private key and its certificate in PEM; `cert` may be followed by the certificates of its issuers. */
export type Pair = { key: string; cert: string }

const { authorityLifetimeMs, lifetimeMs, renewBeforeMs } = limits.certificate
const DAY = 86_400_000
/** A machine with an empty battery starts with an old date; certificates of that date would have expired once the clock is set. */
const RELEASED = Date.parse('2026-01-01T00:00:00Z')
const plausibleTime = (now: number) => Math.max(now, RELEASED)

/** A day earlier than now, for devices whose clock is behind. */
const validity = (now: number, ms: number) => ({ notBeforeDate: new Date(now - DAY), notAfterDate: new Date(now + ms) })

/** The library takes a while to load, and is needed once a year. */
const makeWith = async (commonName: string, options: object): Promise<Pair> => {
  const { generate } = await import('selfsigned')
  const subject = [
    { name: 'commonName', value: commonName },
    { name: 'organizationName', value: 'Markbook' },
  ]
  const made = await generate(subject, { keyType: 'ec', curve: 'P-256', algorithm: 'sha256', ...options })
  return { key: `${made.private.trim()}\n`, cert: `${made.cert.trim()}\n` }
}

/**
 * The small authority of one school (docs/design/server.md): ten years, and it may sign certificates of servers, not of other authorities.
 * It begins before any clock that can be right, so that it is good today whatever the clock said when it was made.
 */
export function makeAuthority(hostname: string, now: number): Promise<Pair> {
  // A device that trusts two of them lists them by name.
  const name = `Markbook ${hostname.replace(/[^A-Za-z0-9.-]/g, '-').slice(0, 40)} ${randomBytes(3).toString('hex')}`
  return makeWith(name, {
    ...validity(plausibleTime(now), authorityLifetimeMs),
    notBeforeDate: new Date(RELEASED - DAY),
    extensions: [
      { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
}

/** A certificate for the server, never longer than browsers accept nor than its authority lives. */
export function makeCertificate(authority: Pair, { dns, ips }: Names, now: number): Promise<Pair> {
  const from = plausibleTime(now)
  const left = expiryOf(authority) - from
  return makeWith(dns[0] ?? 'localhost', {
    ...validity(from, Math.min(lifetimeMs, left)),
    ca: authority,
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: [...dns.map((value) => ({ type: 2, value })), ...ips.map((ip) => ({ type: 7, ip }))] },
    ],
  })
}

const certificateOf = ({ cert }: Pair) => new X509Certificate(cert)

/** When a certificate ends, in milliseconds since 1970. */
export const expiryOf = (pair: Pair): number => Date.parse(certificateOf(pair).validTo)
const validFrom = (pair: Pair): number => Date.parse(certificateOf(pair).validFrom)

export const isAboutToEnd = (pair: Pair, now: number): boolean =>
  expiryOf(pair) - plausibleTime(now) <= Math.min(renewBeforeMs, (expiryOf(pair) - validFrom(pair)) / 3)

/** False where it is about to end, and where it begins later than now: it was made while the clock was far ahead. */
export const isFresh = (pair: Pair, now: number): boolean => validFrom(pair) <= plausibleTime(now) && !isAboutToEnd(pair, now)

/** The names and addresses that a certificate is not for. */
export function missingFrom(pair: Pair, { dns, ips }: Names): string[] {
  const certificate = certificateOf(pair)
  return [...dns.filter((name) => !certificate.checkHost(name)), ...ips.filter((ip) => !certificate.checkIP(ip))]
}

/** True where the certificate was made for the key. */
export const isPair = ({ key, cert }: Pair): boolean => new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))

export const isIssuedBy = (pair: Pair, authority: Pair): boolean => {
  const [certificate, issuer] = [certificateOf(pair), certificateOf(authority)]
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

/** The names and addresses that a certificate was made for. */
export const namesOf = (pair: Pair): string[] =>
  (certificateOf(pair).subjectAltName ?? '')
    .split(', ')
    .filter(Boolean)
    .map((name) => name.replace(/^(DNS|IP Address):/, ''))

/** What a person compares: the SHA-256 fingerprint as devices show it. */
export type CertificateSummary = { subject: string; names: string[]; from: number; until: number; fingerprint: string }
export function summaryOf(pair: Pair): CertificateSummary {
  const certificate = certificateOf(pair)
  return {
    subject: /CN=(.*)/.exec(certificate.subject)?.[1] ?? certificate.subject,
    names: namesOf(pair),
    from: validFrom(pair),
    until: expiryOf(pair),
    fingerprint: certificate.fingerprint256,
  }
}

/** The bytes that Windows and Android import, usually named `.crt`. */
export const toDer = (pair: Pair): Buffer => certificateOf(pair).raw
