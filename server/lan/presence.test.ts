import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import type { NetworkInterfaceInfo } from 'node:os'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import type { ServerType } from '@hono/node-server'
import { systemClock } from '@markbook/shared/clock'
import { limits } from '@markbook/shared/limits'
import { Hono } from 'hono'
import { afterEach, describe, expect, test } from 'vitest'
import type { App } from '../app/app.ts'
import { type Config, readConfig } from '../config.ts'
import { type Log, silentLog } from '../http/log.ts'
import { addressesAt, type Machine, thisMachine } from '../network/addresses.ts'
import { readCertificates } from './authority.ts'
import { makeAuthority, makeCertificate, summaryOf } from './certificate.ts'
import { listen } from './listener.ts'
import { type Announcement, announce, type Presence, startPresence } from './presence.ts'
import { openTls } from './tls.ts'

const at = (...addresses: string[]): Machine => ({
  hostname: 'box',
  interfaces: { eth0: addresses.map((address) => ({ address, internal: false, family: 'IPv4' }) as NetworkInterfaceInfo) },
})

const endings: (() => unknown)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

type Started = {
  presence: Presence
  port: number
  config: Config
  said: string[]
  told: Announcement[]
  place: { machine: Machine; duplicates: string[]; namesakes: string[]; changes: number }
  server: ServerType
}

async function start(machine: Machine, settings: Record<string, string> = {}, log: Log = silentLog): Promise<Started> {
  const dataDir = mkdtempSync(join(tmpdir(), 'markbook-presence-'))
  endings.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const place = { machine, duplicates: [] as string[], namesakes: [] as string[], changes: 0 }
  const config = readConfig({ DATA_DIR: dataDir, LAN: 'true', ...settings }, () => place.machine)
  const secured = await openTls(config, systemClock, () => place.machine)
  const server = await listen(new Hono() as unknown as App, { host: '127.0.0.1', port: 0 }, secured?.pair ?? null)
  endings.push(() => new Promise((resolve) => server.close(resolve)))
  const { port } = server.address() as AddressInfo
  const [said, told]: [string[], Announcement[]] = [[], []]
  const presence = await startPresence(
    { server, port, config, secured, log, database: 'd1' },
    {
      say: (line) => void said.push(line),
      machine: () => place.machine,
      announcing: async (what) => {
        told.push(what)
        return { stop: async () => {}, others: async () => ({ duplicates: place.duplicates, namesakes: place.namesakes }) }
      },
      changed: () => {
        place.changes += 1
      },
    },
  )
  endings.push(() => presence.stop())
  return { presence, port, config, said, told, place, server }
}

const namesShown = (port: number, ca: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', ca }, () => {
      resolve(socket.getPeerCertificate().subjectaltname ?? '')
      socket.end()
    })
    socket.on('error', reject)
  })

describe('a server on the LAN', () => {
  test('takes its best address as the public one, and tells the network', async () => {
    const { presence, config, told, port } = await start(at('192.168.1.20', '203.0.113.9'))
    expect(config.publicUrl).toBe(`https://192.168.1.20:${port}`)
    expect(presence.urls()).toEqual([`https://192.168.1.20:${port}`, `https://203.0.113.9:${port}`])
    expect(told).toEqual([{ name: 'Markbook on box', port, scheme: 'https', addresses: ['192.168.1.20', '203.0.113.9'], database: 'd1' }])
  })

  test('when its address changes: a new certificate without a restart, a new public address, and the network is told again', async () => {
    const { presence, config, said, told, place, port } = await start(at('192.168.1.20'))
    const ca = readCertificates(config.dataDir).authority?.cert ?? ''
    expect(await namesShown(port, ca)).not.toContain('192.168.1.99')
    place.machine = at('192.168.1.99')
    await presence.check()
    expect(await namesShown(port, ca)).toContain('192.168.1.99')
    expect(config.publicUrl).toBe(`https://192.168.1.99:${port}`)
    expect(told.at(-1)?.addresses).toEqual(['192.168.1.99'])
    expect(place.changes).toBe(1)
    expect(said).toEqual([expect.stringContaining('192.168.1.99'), 'Renewed the certificate of this server.'])
    await presence.check()
    expect(said).toHaveLength(2)
  })

  test('says once that another server has its database, and forgets it when it is not heard for long', async () => {
    const { presence, said, place } = await start(at('192.168.1.20'))
    place.duplicates = ['https://192.168.1.31:3000']
    await presence.check()
    await presence.check()
    expect(said).toEqual([expect.stringContaining('another server, at https://192.168.1.31:3000, has the database of this school too')])
    expect([presence.duplicates(), place.changes]).toEqual([place.duplicates, 1])
    place.duplicates = []
    for (let look = 1; look < limits.presence.forgetAfterLooks; look += 1) await presence.check()
    expect(presence.duplicates()).toEqual(['https://192.168.1.31:3000'])
    await presence.check()
    expect([presence.duplicates(), place.changes, said.length]).toEqual([[], 2, 1])
  })

  test('says once that the server of another school has its name, and forgets it when it is not heard for long', async () => {
    const { presence, said, place } = await start(at('192.168.1.20'))
    place.namesakes = ['https://192.168.1.31:3000']
    await presence.check()
    await presence.check()
    expect(said).toEqual([expect.stringContaining('Another Markbook, at https://192.168.1.31:3000, is called markbook.local')])
    expect([presence.namesakes(), presence.duplicates(), place.changes]).toEqual([place.namesakes, [], 1])
    place.namesakes = []
    for (let look = 0; look < limits.presence.forgetAfterLooks; look += 1) await presence.check()
    expect([presence.namesakes(), place.changes, said.length]).toEqual([[], 2, 1])
  })

  test('off the network it goes on; PUBLIC_URL stays what the operator said', async () => {
    const { presence, config, said, place } = await start(at('192.168.1.20'), { PUBLIC_URL: 'https://marks.school.example/' })
    place.machine = at()
    await presence.check()
    expect([presence.urls(), said]).toEqual([[], ['This machine has left the network.']])
    expect(config.publicUrl).toBe('https://marks.school.example')
  })

  test('a real certificate is taken up when its files change; while they do not fit, the one before stays', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'markbook-given-'))
    endings.push(() => rmSync(folder, { recursive: true, force: true }))
    const authority = await makeAuthority('ca', Date.now())
    const make = (ip: string) => makeCertificate(authority, { dns: ['localhost'], ips: [ip] }, Date.now())
    const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    const [first, second] = [await make('10.0.0.1'), await make('10.0.0.2')]
    writeFileSync(certFile, first.cert)
    writeFileSync(keyFile, first.key)
    const errors: string[] = []
    const log = { ...silentLog, error: (_: object, text: string) => void errors.push(text) } as unknown as Log
    const { presence, port, said } = await start(at('10.0.0.1'), { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile }, log)
    await presence.check()
    expect(said).toEqual([])
    await new Promise((resolve) => setTimeout(resolve, 20))
    writeFileSync(certFile, second.cert)
    await presence.check()
    expect(errors).toEqual(['the new certificate cannot be used; the one before stays'])
    expect(await namesShown(port, authority.cert)).toContain('10.0.0.1')
    writeFileSync(keyFile, second.key)
    await presence.check()
    expect(await namesShown(port, authority.cert)).toContain('10.0.0.2')
    expect(summaryOf(second).names).toContain('10.0.0.2')
    await presence.check()
    expect(said).toEqual(['Took up the new certificate of TLS_CERT_FILE.'])
  })
})

describe('mDNS', () => {
  const announcement: Announcement = { name: 'Markbook on box', port: 3000, scheme: 'https', addresses: ['192.168.1.20'], database: null }

  test('no failure of it stops a server: not the library, not its socket, not the farewell', async () => {
    const warnings: unknown[] = []
    const log = { ...silentLog, warn: (what: unknown) => void warnings.push(what) } as unknown as Log
    const broken = async () => {
      throw new Error('no multicast here')
    }
    await (await announce(announcement, log, broken)).stop()
    const mdns = new EventEmitter()
    class Bonjour {
      server = { mdns }
      publish() {
        return { records: () => [] }
      }
      unpublishAll() {
        throw new Error('the network has gone')
      }
    }
    const announced = await announce(announcement, log, (async () => Bonjour) as never)
    mdns.emit('error', Object.assign(new Error('in use'), { code: 'EADDRINUSE' }))
    await announced.stop()
    expect(warnings).toHaveLength(3)
  })

  test('a device finds the service, its name and only the addresses where it listens', async (context) => {
    const { Bonjour } = await import('bonjour-service')
    const browser = new Bonjour({}, () => {})
    ;(browser as unknown as { server: { mdns: EventEmitter } }).server.mdns.on('error', () => {})
    endings.push(() => new Promise((resolve) => browser.destroy(() => resolve(undefined))))
    const name = `Markbook test ${process.pid}`
    const here = addressesAt('0.0.0.0', thisMachine()).slice(0, 1)
    const announced = await announce({ ...announcement, name, addresses: here }, silentLog)
    endings.push(() => announced.stop())
    const found = await new Promise<{ host: string; port: number; addresses?: string[] } | null>((resolve) => {
      const looking = browser.find({ type: 'https' }, (service) => service.name.startsWith(`${name} (`) && resolve(service))
      const again = setInterval(() => looking.update(), 500)
      setTimeout(() => resolve(null), 5_000)
      endings.push(() => clearInterval(again))
    })
    if (!found) return context.skip('no multicast on this machine')
    expect(found).toMatchObject({ host: 'markbook.local', port: 3000 })
    expect(found.addresses).toEqual(here)
  })

  test('two servers of one database on machines of one name find each other, and a third of another school', async (context) => {
    const here = addressesAt('0.0.0.0', thisMachine()).slice(0, 1)
    const told = async (port: number, database: string) => {
      const announced = await announce(
        { ...announcement, name: `Markbook duplicate ${process.pid}`, port, addresses: here, database },
        silentLog,
      )
      endings.push(() => announced.stop())
      return announced
    }
    const [own, copied] = [`own ${process.pid}`, `other ${process.pid}`]
    const [first, second, third] = [await told(3001, own), await told(3002, own), await told(3003, copied)]
    const found = await Promise.all([first, second, third].map((each) => each.others()))
    if (found.flatMap(({ duplicates }) => duplicates).length === 0) return context.skip('no multicast on this machine')
    expect(found.map(({ duplicates }) => duplicates)).toEqual([[`https://${here}:3002`], [`https://${here}:3001`], []])
    const ours = new Set([1, 2, 3].map((last) => `https://${here}:300${last}`))
    const namesakes = found.map((each) => each.namesakes.filter((url) => ours.has(url)).sort())
    expect(namesakes).toEqual([[`https://${here}:3003`], [`https://${here}:3003`], [`https://${here}:3001`, `https://${here}:3002`]])
  })
})
