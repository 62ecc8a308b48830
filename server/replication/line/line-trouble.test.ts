import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeAuthority, makeCertificate, toDer } from '../../lan/certificate.ts'
import { listen } from '../../lan/listener.ts'
import { authorityFrom, fetchTrusting } from '../identity/trust.ts'
import { mayHaveArrived, troubleOf } from './line-trouble.ts'

let plain: Server
let silent = false
beforeEach(async () => {
  plain = createServer((_, response) => void (silent || response.end('{}')))
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  silent = false
  plain.closeAllConnections()
  await new Promise((resolve) => plain.close(resolve))
})

async function troubleAt(url: string, signal = new AbortController().signal) {
  const error = await fetchTrusting(new Request(url, { method: 'POST', body: '{}' }), null, signal).catch((error: unknown) => error)
  return { said: troubleOf(error, url), mayHaveArrived: mayHaveArrived(error) }
}
const hostOf = (server: Server) => `127.0.0.1:${(server.address() as AddressInfo).port}`

describe('what a person is told of a request that failed', () => {
  test('https to a server of plain http', async () => {
    expect(await troubleAt(`https://${hostOf(plain)}/`)).toEqual({
      said: `${hostOf(plain)} does not speak https, or speaks it in another way. Its address may begin with http://`,
      mayHaveArrived: false,
    })
  })

  test('an authority that nobody here trusts: how it comes to be trusted', async () => {
    const authority = await makeAuthority('box', Date.now())
    const pair = await makeCertificate(authority, { dns: ['localhost'], ips: ['127.0.0.1'] }, Date.now())
    const server = await listen({ fetch: () => new Response('{}') } as never, { host: '127.0.0.1', port: 0 }, pair)
    const { said, mayHaveArrived } = await troubleAt(`https://${hostOf(server)}/`)
    await new Promise((resolve) => server.close(resolve))
    expect(said).toMatch(/markbook cert export .*--authority FILE/)
    expect(mayHaveArrived).toBe(false)
  })

  test('nobody there, and no machine of that name', async () => {
    const gone = createServer()
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve))
    const host = hostOf(gone)
    await new Promise((resolve) => gone.close(resolve))
    expect(await troubleAt(`http://${host}/`)).toMatchObject({ said: expect.stringMatching(`^Nothing listens at ${host}`) })
    expect(await troubleAt('http://centre.invalid/')).toMatchObject({ said: expect.stringMatching('^No machine called centre.invalid') })
  })

  test('silence: why it was given up, and that it may have arrived', async () => {
    silent = true
    const patience = new AbortController()
    setTimeout(() => patience.abort(new Error('It did not answer within 15 s.')), 50)
    expect(await troubleAt(`http://${hostOf(plain)}/`, patience.signal)).toEqual({
      said: 'It did not answer within 15 s.',
      mayHaveArrived: true,
    })
  })
})

describe('a file that is to be trusted', () => {
  test('is the certificate of an authority, as .pem or as .crt, and of nothing else', async () => {
    const authority = await makeAuthority('box', Date.now())
    const { cert } = await makeCertificate(authority, { dns: ['localhost'], ips: [] }, Date.now())
    const fromPem = authorityFrom(Buffer.from(authority.cert))
    expect(fromPem?.fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
    expect(authorityFrom(Buffer.from(toDer(authority)))).toEqual(fromPem)
    expect([authorityFrom(Buffer.from(cert)), authorityFrom(Buffer.from('marks'))]).toEqual([null, null])
  })
})
