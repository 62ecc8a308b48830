import type { EventEmitter } from 'node:events'
import type { Log } from '../http/log.ts'
import { LOCAL_NAME } from './addresses.ts'

/** What is told to the network: `name` as people see it in a list, and where it is. */
export type Announcement = { name: string; port: number; scheme: 'http' | 'https'; addresses: readonly string[] }
/** Ends the announcement, at most after a second. */
export type Announced = { stop(): Promise<void> }

const FAREWELL = 1_000

/** Loads the library; a test passes its own. */
const load = async () => (await import('bonjour-service')).Bonjour

/**
 * Tells the network by mDNS where this server is, as `markbook.local` and as a service. Nothing here may stop a server: a network
 * without multicast is only noted in the log.
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
    const stop = () =>
      new Promise<void>((resolve) => {
        const overdue = setTimeout(resolve, FAREWELL)
        const ended = () => {
          clearTimeout(overdue)
          resolve()
        }
        attempt(failed, () => bonjour.unpublishAll(() => bonjour.destroy(ended)))
      })
    return { stop }
  } catch (error) {
    failed(error)
    return { stop: async () => {} }
  }
}

const attempt = (failed: (error: unknown) => void, work: () => void) => {
  try {
    work()
  } catch (error) {
    failed(error)
  }
}
