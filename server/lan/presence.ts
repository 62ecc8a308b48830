import type { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { ServerType } from '@hono/node-server'
import { limits } from '@markbook/shared/limits'
import type { Config } from '../config.ts'
import type { Log } from '../http/log.ts'
import { addressesAt, LOCAL_NAME, type Machine, thisMachine, urlOf } from '../network/addresses.ts'
import { showCertificate } from './listener.ts'
import type { Secured } from './tls.ts'

type More = { say?: (line: string) => void; machine?: () => Machine; announcing?: typeof announce }

/**
 * Where a running server can be reached. `urls` are the addresses for other devices, best first. `check` takes up changed addresses and
 * certificates; a timer calls it every `limits.presence.checkEveryMs`.
 */
export type Presence = { urls(): readonly string[]; check(): Promise<void>; stop(): Promise<void> }

export async function startPresence(
  { server, port, config, secured, log }: { server: ServerType; port: number; config: Config; secured: Secured | null; log: Log },
  { say = console.log, machine = thisMachine, announcing = announce }: More = {},
): Promise<Presence> {
  const scheme = secured ? 'https' : 'http'
  const find = () => addressesAt(config.host, machine())
  const toUrls = (found: readonly string[]) => found.map((address) => urlOf(scheme, address, port))
  const announceHere = (): Promise<Announced | null> | null =>
    config.lan ? announcing({ name: `Markbook on ${machine().hostname}`, port, scheme, addresses }, log) : null
  const best = () => toUrls(addresses)[0]
  let addresses = find()
  // With PORT=0 the port is known only now.
  if (config.publicUrlFollows) config.publicUrl = best() ?? urlOf(scheme, 'localhost', port)
  let announced = await announceHere()

  const lookForAddresses = async () => {
    const found = find()
    if (found.join() === addresses.join()) return
    addresses = found
    const url = best()
    if (url && config.publicUrlFollows) config.publicUrl = url
    say(url ? `The addresses of this machine have changed. Now: ${toUrls(found).join('  ')}` : 'This machine has left the network.')
    await announced?.stop()
    announced = await announceHere()
  }
  const lookForCertificate = async () => {
    const renewed = await secured?.current()
    if (!renewed) return
    showCertificate(server, renewed.pair)
    for (const note of renewed.notes) say(note)
  }
  const check = async () => {
    await lookForAddresses()
    await lookForCertificate().catch((error) => log.error({ err: error }, 'the new certificate cannot be used; the one before stays'))
  }
  const timer = setInterval(() => void check(), limits.presence.checkEveryMs)
  timer.unref()
  const stop = async () => {
    clearInterval(timer)
    await announced?.stop()
  }
  return { urls: () => toUrls(addresses), check, stop }
}

/** What mDNS announces: `name` as people see it in a list, and where the server is. */
export type Announcement = { name: string; port: number; scheme: 'http' | 'https'; addresses: readonly string[] }
/** Ends the announcement, at most after a second. */
type Announced = { stop(): Promise<void> }

/** How long the goodbye packets of mDNS may take, ms. */
const GOODBYE_MS = 1_000

/** Loads the library; a test passes its own. */
const load = async () => (await import('bonjour-service')).Bonjour

/**
 * Announces this server by mDNS, as `markbook.local` and as a service. No error here stops the server: a network without multicast is
 * only logged.
 */
export async function announce({ name, port, scheme, addresses }: Announcement, log: Log, library = load): Promise<Announced> {
  const failed = (error: unknown) => log.warn({ err: error }, 'the network could not be told where this server is')
  try {
    const Bonjour = await library()
    const bonjour = new Bonjour({}, failed)
    // Without a listener an error of its socket would end the process.
    const { mdns } = (bonjour as unknown as { server: { mdns: EventEmitter } }).server
    mdns.on('error', failed)
    const service = bonjour.publish({ name, type: scheme, port, host: LOCAL_NAME, txt: { path: '/' }, disableIPv6: true })
    const all = service.records.bind(service)
    service.records = () => all().filter(({ type, data }) => type !== 'A' || addresses.includes(data))
    const stop = async () => {
      const over = new AbortController()
      const goodbye = new Promise<void>((resolve) => bonjour.unpublishAll(() => bonjour.destroy(resolve))).catch(failed)
      await Promise.race([goodbye, pause(GOODBYE_MS, undefined, { signal: over.signal })])
      over.abort()
    }
    return { stop }
  } catch (error) {
    failed(error)
    return { stop: async () => {} }
  }
}
