import type { Config } from '../config.ts'
import { ANY, hostOf, isLoopback, LOCAL_NAME, type Machine, thisMachine } from '../network/addresses.ts'

/** Whether a host, as `hostIn` reads it, is one of this server's own names and addresses. */
export type IsOwnHost = (host: string) => boolean

type HostSettings = Pick<Config, 'host' | 'publicUrl' | 'allowedOrigins' | 'allowedHosts'>

/** How often the addresses of the machine are read at most, ms. */
const LOOK_AGAIN = 1_000

/**
 * The names and addresses by which a server may be called (docs/design/http.md). A machine's addresses change while it runs, so they are
 * read again when an unknown host is named. A star stands for one label, as in certificates.
 */
export function ownHosts(config: HostSettings, certificateNames: () => readonly string[], machine: () => Machine = thisMachine): IsOwnHost {
  let known = new Set<string>()
  let lookedAt = Number.NEGATIVE_INFINITY
  const isKnown = (host: string) => known.has(host) || known.has(host.replace(/^[^.]+(?=\.)/, '*'))
  return (host) => {
    if (isLoopback(host) || host.endsWith('.localhost') || isKnown(host)) return true
    if (performance.now() - lookedAt < LOOK_AGAIN) return false
    lookedAt = performance.now()
    known = new Set([...hostsOf(config), ...certificateNames().map((name) => name.toLowerCase()), ...hostsAt(machine())])
    return isKnown(host)
  }
}

function hostsOf({ host, publicUrl, allowedOrigins, allowedHosts }: HostSettings): string[] {
  const pages = [publicUrl, ...allowedOrigins].filter((url) => URL.canParse(url)).map(hostOf)
  return [...(ANY.includes(host) ? [] : [host.toLowerCase()]), ...pages, ...allowedHosts]
}

function hostsAt({ hostname, interfaces }: Machine): string[] {
  const full = hostname.toLowerCase()
  const [short = full] = full.split('.')
  const addresses = Object.values(interfaces).flatMap((infos = []) => infos.map(({ address }) => address))
  return [full, short, `${full}.local`, `${short}.local`, LOCAL_NAME, ...addresses]
}
