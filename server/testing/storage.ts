import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { openStorage } from '../files/open.ts'
import { startS3 } from './s3.ts'
import type { School } from './school.ts'

/** The school's app on its own port, whose address is used for uploads. */
export async function listening(st: School): Promise<{ url: string; stop(): Promise<void> }> {
  const server = await new Promise<ReturnType<typeof serve>>((resolve) => {
    const made = serve({ fetch: st.app.fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(made))
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  Object.assign(st.services.config, { publicUrl: url })
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      if ('closeAllConnections' in server) server.closeAllConnections()
    })
  return { url, stop }
}

/** Moves the school's files to a real S3 server. */
export async function keepOnS3(st: School): Promise<() => Promise<void>> {
  const s3 = await startS3()
  Object.assign(st.services, await openStorage({ dataDir: '', s3: s3.settings }, st.clock))
  return s3.stop
}
