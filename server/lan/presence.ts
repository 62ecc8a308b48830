import { createHash, randomBytes } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { ServerType } from '@hono/node-server'
import { limits } from '@markbook/shared/limits'
import type { Config } from '../config.ts'
import type { Log } from '../http/log.ts'
import { addressesAt, LOCAL_NAME, type Machine, thisMachine, urlOf } from '../network/addresses.ts'
import { showCertificate } from './listener.ts'
import type { Secured } from './tls.ts'

/** `changed` is called when the addresses of this server or its duplicates have changed. */
type More = { say?: (line: string) => void; machine?: () => Machine; announcing?: typeof announce; changed?: () => void }

/**
 * Where a running server can be reached. `urls` are the addresses for other devices, best first; `duplicates` those of other servers on
 * this network that have the same database: a copied folder, or a backup that was restored elsewhere; `namesakes` those of other schools,
 * which have the name `markbook.local` too. `check` takes up changed addresses, certificates, duplicates and namesakes; a timer calls it
 * every `limits.presence.checkEveryMs`.
 */
export type Presence = {
  urls(): readonly string[]
  duplicates(): readonly string[]
  namesakes(): readonly string[]
  check(): Promise<void>
  stop(): Promise<void>
}

/** `database`: the id of the database; null where several servers have it on purpose. */
type Served = { server: ServerType; port: number; config: Config; secured: Secured | null; log: Log; database: string | null }

export async function startPresence(
  { server, port, config, secured, log, database }: Served,
  { say = console.log, machine = thisMachine, announcing = announce, changed = () => {} }: More,
): Promise<Presence> {
  const scheme = secured ? 'https' : 'http'
  const find = () => addressesAt(config.host, machine())
  const toUrls = (found: readonly string[]) => found.map((address) => urlOf(scheme, address, port))
  const announceHere = (): Promise<Announced | null> | null =>
    config.lan ? announcing({ name: `Markbook on ${machine().hostname}`, port, scheme, addresses, database }, log) : null
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
    changed()
  }
  /** The looks after which a server that is not heard is forgotten; an answer of mDNS may be lost. */
  const heard: Record<keyof Others, Map<string, number>> = { duplicates: new Map(), namesakes: new Map() }
  const lookForOthers = async () => {
    const found = await announced?.others()
    for (const kind of ['duplicates', 'namesakes'] as const) {
      const known = heard[kind]
      const before = [...known.keys()].join()
      for (const [url, left] of known) left > 1 ? known.set(url, left - 1) : known.delete(url)
      for (const url of found?.[kind] ?? []) {
        if (!before.split(',').includes(url)) say(SAID[kind].replace('URL', url))
        known.set(url, limits.presence.forgetAfterLooks)
      }
      if ([...known.keys()].join() !== before) changed()
    }
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
    await lookForOthers()
  }
  const timer = setInterval(() => void check(), limits.presence.checkEveryMs)
  timer.unref()
  const stop = async () => {
    clearInterval(timer)
    await announced?.stop()
  }
  const urls = () => toUrls(addresses)
  return { urls, duplicates: () => [...heard.duplicates.keys()], namesakes: () => [...heard.namesakes.keys()], check, stop }
}

const SAID: Record<keyof Others, string> = {
  duplicates:
    'ATTENTION: another server, at URL, has the database of this school too. What is entered at one of the two is not at the other. What to do: markbook doctor',
  namesakes: `Another Markbook, at URL, is called ${LOCAL_NAME} on this network too: by that name a browser may come to either. Let people use the address of this server instead: markbook status`,
}

/** What mDNS announces: `name` as people see it in a list, where the server is, and the id of its database. */
export type Announcement = Pick<Served, 'port' | 'database'> & { name: string; scheme: 'http' | 'https'; addresses: readonly string[] }
/** Where the same database is served, and where another one. */
type Others = { duplicates: string[]; namesakes: string[] }
/** `stop` ends the announcement, at most after a second. `others` listens for `LISTEN_MS`. */
type Announced = { stop(): Promise<void>; others(): Promise<Others> }

const LISTEN_MS = 2_000

/** How long the goodbye packets of mDNS may take, ms. */
const GOODBYE_MS = 1_000

/** Loads the library; a test passes its own. */
const load = async () => (await import('bonjour-service')).Bonjour

/**
 * Announces this server by mDNS, as `markbook.local` and as a service. No error here stops the server: a network without multicast is
 * only logged.
 */
export async function announce(what: Announcement, log: Log, library = load): Promise<Announced> {
  const { name, port, scheme, addresses, database } = what
  const failed = (error: unknown) => log.warn({ err: error }, 'the network could not be told where this server is')
  try {
    const Bonjour = await library()
    const bonjour = new Bonjour({}, failed)
    // Without a listener an error of its socket would end the process.
    const { mdns } = (bonjour as unknown as { server: { mdns: EventEmitter } }).server
    mdns.on('error', failed)
    // Machines may have one name, copied ones above all; without a name of its own the library would announce only the first server.
    const id = randomBytes(6).toString('hex')
    const txt = { path: '/', server: id, ...(database && { database: digestOf(database) }) }
    const named = { name: `${name} (${id.slice(0, 4)})`, type: scheme, port, host: LOCAL_NAME }
    const service = bonjour.publish({ ...named, txt, probe: false, disableIPv6: true })
    const all = service.records.bind(service)
    service.records = () => all().filter(({ type, data }) => type !== 'A' || addresses.includes(data))
    const stop = async () => {
      const over = new AbortController()
      const goodbye = new Promise<void>((resolve) => bonjour.unpublishAll(() => bonjour.destroy(resolve))).catch(failed)
      await Promise.race([goodbye, pause(GOODBYE_MS, undefined, { signal: over.signal })])
      over.abort()
    }
    const others = async () => {
      const found = { duplicates: new Map<string, string>(), namesakes: new Map<string, string>() }
      const browsers = (['https', 'http'] as const).map((type) =>
        bonjour.find({ type }, (other) => {
          const { database: theirs, server } = (other.txt ?? {}) as Record<string, string>
          const address = other.addresses?.[0] ?? other.referer?.address
          if (!server || server === id || !address) return
          // The instances of a centre announce no database.
          if (theirs !== txt.database) found.namesakes.set(server, urlOf(type, address, other.port))
          else if (theirs) found.duplicates.set(server, urlOf(type, address, other.port))
        }),
      )
      await pause(LISTEN_MS)
      for (const browser of browsers) browser.stop()
      return { duplicates: [...found.duplicates.values()], namesakes: [...found.namesakes.values()] }
    }
    return { stop, others }
  } catch (error) {
    failed(error)
    return { stop: async () => {}, others: async () => ({ duplicates: [], namesakes: [] }) }
  }
}

/** The id of a database as others on the network may see it. */
const digestOf = (database: string) => createHash('sha256').update(`markbook:database:${database}`).digest('hex').slice(0, 32)
