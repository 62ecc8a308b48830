import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { limits } from '@markbook/shared/limits'
import type { Config } from '../../config.ts'
import { readCertificates, tlsFolder } from '../../lan/authority.ts'
import { missingFrom, type Pair, summaryOf } from '../../lan/certificate.ts'
import { readOperatorCertificate } from '../../lan/operator-certificate.ts'
import { hostOf, namesAt, thisMachine } from '../../network/addresses.ts'
import { day, lasting } from '../words.ts'
import { type Finding, findings, fine, notice, problem, type Trouble } from './finding.ts'

/**
 * The certificates on the disk; times in ms since 1970. `missing`: names and addresses of this machine that the server's certificate does
 * not cover. `refusal`: why the operator's own certificate cannot be used.
 */
export type Certificates =
  | { kind: 'none' }
  | { kind: 'authority'; authority: Lasting | null; server: (Lasting & { missing: readonly string[] }) | null; damaged: boolean }
  | { kind: 'operator'; server: (Lasting & { missing: readonly string[] }) | null; refusal: string | null }
type Lasting = { from: number; until: number }

const REFUSED = 'The browsers of the teachers refuse the server, so nobody enters marks; the marks themselves are not concerned.'
const RENEW: Pick<Trouble, 'do' | 'fix'> = {
  do: 'markbook cert renew makes a new one; a running server takes it up within half a minute, and devices notice nothing.',
  fix: 'certificate',
}
const { renewBeforeMs } = limits.certificate

export function checkCertificate(found: Certificates, now: number): Finding[] {
  if (found.kind === 'none') return []
  return found.kind === 'operator' ? checkOperator(found, now) : checkOwn(found, now)
}

function checkOwn({ authority, server, damaged }: Extract<Certificates, { kind: 'authority' }>, now: number): Finding[] {
  const renewable = (what: string) => problem('certificate', { what, means: REFUSED, ...RENEW })
  if (damaged) return renewable('A file of the certificates in the folder tls is damaged.')
  if (!authority || !server)
    return notice('certificate', {
      what: 'This school has no certificate yet.',
      means: 'Nothing: the first start with --lan makes it.',
      do: 'Start the server: markbook start --lan',
    })
  if (authority.until <= now)
    return problem('certificate', {
      what: `The authority of this school ended on ${day(authority.until)}.`,
      means: REFUSED,
      do: 'markbook cert renew --authority makes a new one, which every device must then be told to trust.',
    })
  if (!isGood(server, now)) return renewable(`The certificate of this server is not good today: it is for ${span(server)}.`)
  if (server.until - now < renewBeforeMs)
    return notice('certificate', {
      what: `The certificate of this server ends in ${lasting(server.until - now)}.`,
      means: 'A running server renews it by itself; after its end browsers refuse the server.',
      ...RENEW,
    })
  if (server.missing.length > 0)
    return notice('certificate', {
      what: `The certificate of this server is not for ${server.missing.join(', ')}, which this machine is called now.`,
      means: 'Devices that use that name or address are shown a warning until a running server makes a new certificate.',
      ...RENEW,
    })
  return fine('certificate', `The certificate of this server is good until ${day(server.until)}, and renewed by itself.`)
}

function checkOperator({ server, refusal }: Extract<Certificates, { kind: 'operator' }>, now: number): Finding[] {
  const trouble = { means: REFUSED, do: 'Renew it where it was made, and put the new files in the place of the old ones.' }
  if (!server) return problem('certificate', { what: refusal ?? 'The certificate of TLS_CERT_FILE cannot be used.', ...trouble })
  if (!isGood(server, now))
    return problem('certificate', { what: `The certificate of TLS_CERT_FILE is not good today: it is for ${span(server)}.`, ...trouble })
  const what = `The certificate of TLS_CERT_FILE ends in ${lasting(server.until - now)}.`
  const ending = {
    what,
    ...trouble,
    means: 'After its end browsers refuse the server, and the next start refuses it too; no mark is concerned.',
  }
  const left = server.until - now
  const found = findings(
    server.missing.length > 0 &&
      problem('certificate', {
        what: `The certificate of TLS_CERT_FILE is not for ${server.missing.join(', ')}, the name in PUBLIC_URL.`,
        means: REFUSED,
        do: 'Get a certificate for that name, or set PUBLIC_URL to a name that it is for.',
      }),
    left < renewBeforeMs / 4 && problem('certificate', ending),
    left >= renewBeforeMs / 4 && left < renewBeforeMs && notice('certificate', ending),
  )
  return found.length > 0 ? found : fine('certificate', `The certificate of TLS_CERT_FILE is good until ${day(server.until)}.`)
}

const isGood = ({ from, until }: Lasting, now: number) => from <= now && now < until
const span = ({ from, until }: Lasting) => `${day(from)} to ${day(until)}`

type Settings = Pick<Config, 'tls' | 'dataDir' | 'host' | 'publicUrl' | 'publicUrlFollows'>

export function lookAtCertificate({ tls, dataDir, host, publicUrl, publicUrlFollows }: Settings): Certificates {
  if (typeof tls === 'object') {
    const names = publicUrlFollows ? NO_NAMES : namesIn(publicUrl)
    try {
      return { kind: 'operator', server: described(readOperatorCertificate(tls, 0), names), refusal: null }
    } catch (error) {
      return { kind: 'operator', server: null, refusal: (error as Error).message }
    }
  }
  const { authority, server } = readCertificates(dataDir)
  const isDamaged = (pair: Pair | null, file: string) => pair === null && existsSync(join(tlsFolder(dataDir), file))
  const damaged = isDamaged(authority, 'authority.pem') || isDamaged(server, 'server.pem')
  // Certificates of earlier starts with LAN are not checked: they are not in use.
  if (tls === 'none') return { kind: 'none' }
  const names = namesAt(host, publicUrlFollows ? null : publicUrl, thisMachine())
  return { kind: 'authority', authority: authority && described(authority, NO_NAMES), server: server && described(server, names), damaged }
}

type Names = Parameters<typeof missingFrom>[1]
const NO_NAMES: Names = { dns: [], ips: [] }

function namesIn(url: string): Names {
  const host = hostOf(url)
  return /^[\d.]+$|:/.test(host) ? { dns: [], ips: [host] } : { dns: [host], ips: [] }
}

function described(pair: Pair, names: Names) {
  const { from, until } = summaryOf(pair)
  return { from, until, missing: missingFrom(pair, names) }
}
