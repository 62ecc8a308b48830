import { Agent, request as ask } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { connect as connectSecurely, type PeerCertificate } from 'node:tls'
import type { ServerType } from '@hono/node-server'
import { limits } from '@markbook/shared/limits'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../app/app.ts'
import { makeAuthority, makeCertificate, type Pair } from './certificate.ts'
import { listen, showCertificate } from './listener.ts'

const names = { dns: ['box.local', 'localhost'], ips: ['127.0.0.1'] }
let authority: Pair
let server: ServerType
let port: number

beforeAll(async () => {
  authority = await makeAuthority('box', Date.now())
  const app = new Hono().get('/readyz', (c) => c.json({ url: c.req.url })).post('/echo', async (c) => c.text(await c.req.text()))
  server = await listen(app as unknown as App, { host: '127.0.0.1', port: 0 }, await makeCertificate(authority, names, Date.now()))
  port = (server.address() as AddressInfo).port
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

type Options = { name?: string; ca?: string; path?: string; method?: string; body?: string }
const secure = ({ name = 'localhost', ca = authority.cert, path = '/readyz', method = 'GET', body }: Options = {}) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      servername: name,
      headers: { host: `${name}:${port}` },
      ca,
      path,
      method,
      agent: new Agent(),
    }
    const request = ask(options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => (text += part))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    request.on('error', reject)
    request.end(body)
  })

const raw = (text: string) =>
  new Promise<string>((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (part) => (answer += part))
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })

const shown = () =>
  new Promise<PeerCertificate>((resolve, reject) => {
    const socket = connectSecurely({ port, host: '127.0.0.1', servername: 'localhost', ca: authority.cert }, () => {
      resolve(socket.getPeerCertificate())
      socket.end()
    })
    socket.on('error', reject)
  })

describe('https', () => {
  test('a device that trusts the authority is served, and the program knows that it is https', async () => {
    expect(JSON.parse((await secure()).text)).toEqual({ url: `https://localhost:${port}/readyz` })
  })

  test('a device that does not trust it, or asks for another name, refuses', async () => {
    const { cert } = await makeAuthority('stranger', Date.now())
    await expect(secure({ ca: cert })).rejects.toThrow(/certificate/)
    await expect(secure({ name: 'elsewhere.local' })).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
  })

  test('an old program is served by ciphers with forward secrecy, and by none without, before a renewal and after it', async () => {
    const offered = (ciphers: string) =>
      new Promise<string>((resolve) => {
        const options = { port, host: '127.0.0.1', servername: 'localhost', ca: authority.cert, maxVersion: 'TLSv1.2', ciphers } as const
        const socket = connectSecurely(options, () => {
          resolve(socket.getCipher().name)
          socket.end()
        })
        socket.on('error', () => resolve('refused'))
      })
    const told = async () => [
      await offered('ECDHE-ECDSA-AES128-GCM-SHA256'),
      await offered('ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384'),
      await offered('ECDHE-ECDSA-AES256-SHA:ECDHE-ECDSA-AES128-SHA256'),
      await offered('AES256-SHA:AES128-GCM-SHA256'),
    ]
    const wanted = ['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES256-GCM-SHA384', 'refused', 'refused']
    expect(await told()).toEqual(wanted)
    showCertificate(server, await makeCertificate(authority, names, Date.now()))
    expect(await told()).toEqual(wanted)
  })

  test('a megabyte arrives byte for byte', async () => {
    const body = 'Élan '.repeat(200_000)
    expect((await secure({ path: '/echo', method: 'POST', body })).text === body).toBe(true)
  })

  test('100 connections at once are all served', async () => {
    const all = await Promise.all(Array.from({ length: 100 }, () => secure()))
    expect(all.every(({ status }) => status === 200)).toBe(true)
  })

  test('a renewed certificate is shown to new connections; one that is open goes on', async () => {
    const before = (await shown()).fingerprint256
    const open = connectSecurely({ port, host: '127.0.0.1', servername: 'localhost', ca: authority.cert })
    await new Promise((resolve) => open.once('secureConnect', resolve))
    showCertificate(server, await makeCertificate(authority, names, Date.now()))
    expect((await shown()).fingerprint256).not.toBe(before)
    open.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    expect(String(await new Promise((resolve) => open.once('data', resolve)))).toMatch(/^HTTP\/1\.1 200/)
  })
})

describe('plain http on the port of https', () => {
  test('a page is sent to its https address', async () => {
    const answer = await raw('GET /docs?x=1 HTTP/1.1\r\nHost: box.local:3000\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 307 /)
    expect(answer).toMatch(/^location: https:\/\/box\.local:3000\/docs\?x=1\r$/im)
  })

  test('what carries something is refused with a hint, and so is a strange name', async () => {
    const post = await raw('POST /api/auth/otp/send HTTP/1.1\r\nHost: box.local\r\nContent-Length: 2\r\n\r\n{}')
    expect(post).toMatch(/^HTTP\/1\.1 400 /)
    expect(post).toContain('https_needed')
    expect(await raw('GET / HTTP/1.1\r\nHost: a"b\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /)
    expect(await raw('GET http://elsewhere.example/ HTTP/1.1\r\nHost: box.local\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /)
  })

  test('what programs ask is refused, so that a session sent unencrypted is noticed', async () => {
    for (const path of ['/api/auth/me', '/API/classes?x=1', '/sync/v2/greet', '/storage/report-books/a.pdf', '/metrics', '/api']) {
      const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: box.local\r\n\r\n`)
      expect(answer, path).toMatch(/^HTTP\/1\.1 400 /)
      expect(answer, path).toContain('https_needed')
    }
    expect(await raw('GET /apiary HTTP/1.1\r\nHost: box.local\r\n\r\n')).toMatch(/^HTTP\/1\.1 307 /)
  })

  test('rubbish, a connection that says nothing and one that goes at once harm nobody', async () => {
    const silent = connect(port, '127.0.0.1')
    await new Promise((resolve) => silent.once('connect', resolve))
    const gone = connect(port, '127.0.0.1', () => gone.destroy())
    await raw('\u0000\u0001\u0002 rubbish\r\n\r\n')
    const halfShaken = connect(port, '127.0.0.1', () => halfShaken.write('\u0016\u0003\u0001 rubbish'))
    expect((await secure()).status).toBe(200)
    for (const socket of [silent, halfShaken]) socket.on('error', () => {})
  })

  test('a server that stops does not wait for a connection that says nothing or half a handshake', async () => {
    const other = await listen(
      new Hono() as unknown as App,
      { host: '127.0.0.1', port: 0 },
      await makeCertificate(authority, names, Date.now()),
    )
    for (const start of ['', '\u0016\u0003\u0001']) {
      const socket = connect((other.address() as AddressInfo).port, '127.0.0.1')
      socket.on('error', () => {})
      await new Promise((resolve) => socket.once('connect', resolve))
      socket.write(start)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
    const from = performance.now()
    await new Promise((resolve) => other.close(resolve))
    expect(performance.now() - from).toBeLessThan(limits.connection.firstByteTimeoutMs / 2)
  })
})
