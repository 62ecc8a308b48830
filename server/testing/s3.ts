import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
// @ts-expect-error The package brings no types.
import S3rver from 's3rver'
import type { S3Settings } from '../config.ts'

/** An S3 server for tests, on a free port. */
export type TestS3 = { settings: S3Settings; stop(): Promise<void> }

type Context = { method: string; path: string; query: Record<string, string>; status: number; type: string; body: string }

/** ListParts, which resumable uploads need and this server lacks: reads the folder of the parts. */
const listParts = (folderOf: (bucket: string) => string) => async (ctx: Context, next: () => Promise<void>) => {
  const id = ctx.query['uploadId']
  if (ctx.method !== 'GET' || id === undefined) return next()
  const folder = join(folderOf(ctx.path.split('/')[1] ?? ''), id)
  ctx.type = 'application/xml'
  if (!existsSync(folder)) {
    ctx.status = 404
    ctx.body = '<Error><Code>NoSuchUpload</Code><Message>There is no such upload.</Message></Error>'
    return
  }
  const numbers = readdirSync(folder).filter((name) => /^\d+$/.test(name))
  const parts = numbers.map((number) => {
    const md5 = readFileSync(join(folder, `${number}.md5`), 'utf8')
    const size = statSync(join(folder, number)).size
    return `<Part><PartNumber>${number}</PartNumber><ETag>"${md5}"</ETag><Size>${size}</Size></Part>`
  })
  ctx.status = 200
  ctx.body = `<ListPartsResult><IsTruncated>false</IsTruncated>${parts.join('')}</ListPartsResult>`
}

/**
 * Serialises writes: in S3, after concurrent writes one object is stored whole, while this server writes an object and its metadata
 * separately.
 */
function oneWriteAtATime() {
  const writes = new Map<string, Promise<unknown>>()
  return (ctx: Context, next: () => Promise<void>) => {
    if (ctx.method !== 'PUT') return next()
    const written = (writes.get(ctx.path) ?? Promise.resolve()).then(next)
    const settled = written.catch(() => {})
    writes.set(ctx.path, settled)
    void settled.then(() => writes.get(ctx.path) === settled && writes.delete(ctx.path))
    return written
  }
}

export async function startS3(): Promise<TestS3> {
  const directory = mkdtempSync(join(tmpdir(), 'markbook-s3-'))
  const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory })
  server.middleware.unshift(listParts((bucket) => server.store.getResourcePath(bucket, undefined, 'uploads')))
  server.middleware.unshift(oneWriteAtATime())
  const { port } = (await server.run()) as AddressInfo
  return {
    settings: {
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
      bucketPrefix: 'school-',
    },
    stop: async () => {
      await server.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
