import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '@markbook/shared/clock'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startS3, type TestS3 } from '../testing/s3.ts'
import { openStorage } from './open.ts'
import { findBuckets, openS3 } from './s3.client.ts'
import { s3Storage } from './s3.ts'
import { storageSuite } from './storage.suite.ts'

let s3: TestS3
beforeAll(async () => {
  s3 = await startS3()
})
afterAll(() => s3.stop())

let count = 0
storageSuite('S3', async () => {
  count += 1
  const settings = { ...s3.settings, bucketPrefix: `school${count}-` }
  const opened = await openS3(settings)
  await findBuckets(opened, { make: true })
  await findBuckets(opened, { make: true })
  return { storage: s3Storage(opened, { clock: systemClock }), drop: async () => {} }
})

describe('a faulty S3', () => {
  const answering = async (status: number, run: (endpoint: string, asked: () => number) => Promise<void>) => {
    let asked = 0
    const server = createServer((_request, response) => {
      asked += 1
      response.writeHead(status).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () => asked)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }
  const at = (endpoint: string) => openS3({ ...s3.settings, endpoint })
  const storageAt = async (endpoint: string) => s3Storage(await at(endpoint), { clock: systemClock })

  test('fails: retried a few times, then 503', async () => {
    await answering(500, async (endpoint, asked) => {
      await expect((await storageAt(endpoint)).head('images', 'a/one')).rejects.toMatchObject({ status: 503, code: 'storage_away' })
      expect(asked()).toBe(3)
    })
  })

  test('is unreachable: 503', async () => {
    await expect((await storageAt('http://127.0.0.1:1')).head('images', 'a/one')).rejects.toMatchObject({
      status: 503,
      code: 'storage_away',
    })
  })

  test('is full: 507', async () => {
    await answering(507, async (endpoint) => {
      const put = (await storageAt(endpoint)).put('images', 'a/one', Buffer.from('x'), { contentType: 'image/png', overwrite: true })
      await expect(put).rejects.toMatchObject({ status: 507, code: 'storage_full' })
    })
  })

  test('denies access: the start ends with one line that names the bucket and the key; later 503, also for what is written', async () => {
    await answering(403, async (endpoint) => {
      await expect(openStorage({ dataDir: '', s3: { ...s3.settings, endpoint } }, systemClock)).rejects.toThrow(
        /^The bucket school-images at http.* cannot be used: it refuses the key of S3_ACCESS_KEY_ID/,
      )
      const storage = await storageAt(endpoint)
      await expect(storage.head('images', 'a/one')).rejects.toMatchObject({ code: 'storage_away' })
      const put = storage.put('images', 'a/one', Buffer.from('x'), { contentType: 'image/png', overwrite: true })
      await expect(put).rejects.toMatchObject({ code: 'storage_away' })
    })
  })

  test('has lost its buckets: 503 for what is written, and they are not made where they are only looked for', async () => {
    const settings = { ...s3.settings, bucketPrefix: 'lost-' }
    const opened = await openS3(settings)
    const put = s3Storage(opened, { clock: systemClock }).put('images', 'a/one', Buffer.from('x'), {
      contentType: 'image/png',
      overwrite: true,
    })
    await expect(put).rejects.toMatchObject({ status: 503, code: 'storage_away' })
    const look = () => findBuckets(opened, { make: false })
    await expect(look()).rejects.toMatchObject({ message: expect.stringContaining('lost-images'), fault: 'no_bucket' })
    await findBuckets(opened, { make: true })
    await look()
  })

  test('is away at the start: the server starts, and says so once', async () => {
    const lines: string[] = []
    const s3Away = { ...s3.settings, endpoint: 'http://127.0.0.1:1' }
    const { files } = await openStorage({ dataDir: '', s3: s3Away }, systemClock, (line) => lines.push(line))
    expect(lines).toEqual(['The bucket school-images at http://127.0.0.1:1 cannot be used: it cannot be reached'])
    await expect(files.head('images', 'a/one')).rejects.toMatchObject({ code: 'storage_away' })
  })
})
