import type { ServerType } from '@hono/node-server'
import { limits } from '@markbook/shared/limits'
import type { Config } from '../config.ts'
import type { Log } from '../http/log.ts'
import { addressesAt, type Machine, thisMachine, urlOf } from './addresses.ts'
import { type Announced, announce } from './announce.ts'
import { showCertificate } from './listener.ts'
import type { Secured } from './tls.ts'

type Open = { server: ServerType; port: number; config: Config; secured: Secured | null; log: Log }
type More = { say?: (line: string) => void; machine?: () => Machine; announcing?: typeof announce }

/**
 * Where a running server can be reached. `urls` are the addresses for other devices, best first. `check` looks whether addresses or
 * certificate have changed; it is called by itself every `limits.presence.check`.
 */
export type Presence = { urls(): readonly string[]; check(): Promise<void>; stop(): Promise<void> }

export async function keepPresent(
  { server, port, config, secured, log }: Open,
  { say = console.log, machine = thisMachine, announcing = announce }: More = {},
): Promise<Presence> {
  const scheme = secured ? 'https' : 'http'
  const find = () => addressesAt(config.host, machine())
  const toUrls = (found: readonly string[]) => found.map((address) => urlOf(scheme, address, port))
  const tell = (): Promise<Announced | null> | null =>
    config.lan ? announcing({ name: `Markbook on ${machine().hostname}`, port, scheme, addresses }, log) : null
  const best = () => toUrls(addresses)[0]
  let addresses = find()
  // With PORT=0 the port is known only now.
  if (config.publicUrlFollows) config.publicUrl = best() ?? urlOf(scheme, 'localhost', port)
  let announced = await tell()

  const lookForAddresses = async () => {
    const found = find()
    if (found.join() === addresses.join()) return
    addresses = found
    const url = best()
    if (url && config.publicUrlFollows) config.publicUrl = url
    say(url ? `The addresses of this machine have changed. Now: ${toUrls(found).join('  ')}` : 'This machine has left the network.')
    await announced?.stop()
    announced = await tell()
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
  const timer = setInterval(() => void check(), limits.presence.check)
  timer.unref()
  const stop = async () => {
    clearInterval(timer)
    await announced?.stop()
  }
  return { urls: () => toUrls(addresses), check, stop }
}
