import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { namesAt, thisMachine } from '../lan/addresses.ts'
import { readCertificates, tlsFolder } from '../lan/authority.ts'
import { missingFrom, type Pair, show } from '../lan/certificate.ts'
import { readGiven } from '../lan/given.ts'
import type { Certificates } from './check.certificate.ts'

type Settings = Pick<Config, 'tls' | 'dataDir' | 'host' | 'publicUrl' | 'publicUrlFollows'>

export function lookAtCertificate({ tls, dataDir, host, publicUrl, publicUrlFollows }: Settings): Certificates {
  if (typeof tls === 'object') {
    const names = publicUrlFollows ? { dns: [], ips: [] } : namesIn(publicUrl)
    try {
      return { kind: 'given', server: described(readGiven(tls, 0), names), refusal: null }
    } catch (error) {
      return { kind: 'given', server: null, refusal: (error as Error).message }
    }
  }
  const { authority, server } = readCertificates(dataDir)
  const isDamaged = (pair: Pair | null, file: string) => pair === null && existsSync(join(tlsFolder(dataDir), file))
  const damaged = isDamaged(authority, 'authority.pem') || isDamaged(server, 'server.pem')
  // Without LAN now, but it had it before: what lies there is for a start that may come.
  if (tls === 'none') return { kind: 'none' }
  const names = namesAt(host, publicUrlFollows ? null : publicUrl, thisMachine())
  const none = { dns: [], ips: [] }
  return { kind: 'authority', authority: authority && described(authority, none), server: server && described(server, names), damaged }
}

type Names = Parameters<typeof missingFrom>[1]

function namesIn(url: string): Names {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  return /^[\d.]+$|:/.test(host) ? { dns: [], ips: [host] } : { dns: [host], ips: [] }
}

function described(pair: Pair, names: Names) {
  const { from, until } = show(pair)
  return { from, until, missing: missingFrom(pair, names) }
}
