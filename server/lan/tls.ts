import type { Clock } from '@markbook/shared/clock'
import type { Config } from '../config.ts'
import { type Machine, namesAt, thisMachine } from '../network/addresses.ts'
import { keepCertificates } from './authority.ts'
import { namesOf, type Pair } from './certificate.ts'
import { type Files, readOperatorCertificate, stampOf } from './operator-certificate.ts'

/**
 * The certificate that a server presents. `current` answers a changed one, for a running server to take up, or null; it throws where the
 * new one cannot be used. `notes`: what was made at the start, in sentences. `names`: those of the present certificate.
 */
export type Secured = {
  pair: Pair
  notes: readonly string[]
  names(): readonly string[]
  current(): Promise<{ pair: Pair; notes: readonly string[] } | null>
}

export type TlsSettings = Pick<Config, 'tls' | 'dataDir' | 'host' | 'publicUrl' | 'publicUrlFollows'>

/** Null: plain http. Throws a `ConfigError` with one line for a certificate of the operator's that cannot serve. */
export async function openTls(config: TlsSettings, clock: Clock, machine: () => Machine = thisMachine): Promise<Secured | null> {
  if (config.tls === 'none') return null
  return config.tls === 'authority' ? fromAuthority(config, clock, machine) : fromFiles(config.tls, clock)
}

/** `keepCertificates` for the present names and addresses of this machine. */
export function certificatesHere(
  { dataDir, host, publicUrl, publicUrlFollows }: Omit<TlsSettings, 'tls'>,
  wanted: { now: number; anew?: boolean },
  machine = thisMachine(),
) {
  const names = namesAt(host, publicUrlFollows ? null : publicUrl, machine)
  return keepCertificates(dataDir, { hostname: machine.hostname, names, ...wanted })
}

async function fromAuthority(config: TlsSettings, clock: Clock, machine: () => Machine): Promise<Secured> {
  const keep = () => certificatesHere(config, { now: clock.now() }, machine())
  const first = await keep()
  let shown = first.server
  const current = async () => {
    const { server, notes } = await keep()
    if (server.cert === shown.cert) return null
    shown = server
    return { pair: server, notes }
  }
  return { pair: first.server, notes: first.notes, names: () => namesOf(shown), current }
}

function fromFiles(files: Files, clock: Clock): Secured {
  let stamp = stampOf(files)
  const pair = readOperatorCertificate(files, clock.now())
  let shown = pair
  const current = async () => {
    const now = stampOf(files)
    if (now === stamp) return null
    const pair = readOperatorCertificate(files, clock.now())
    stamp = now
    shown = pair
    return { pair, notes: ['Took up the new certificate of TLS_CERT_FILE.'] }
  }
  return { pair, notes: [], names: () => namesOf(shown), current }
}
