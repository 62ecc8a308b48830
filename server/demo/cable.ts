import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

/** A cable between two servers of this machine, that can be cut. */
export type Cable = { url: string; isCut(): boolean; cut(): void; mend(): void; close(): Promise<void> }

export async function cableTo(port: number): Promise<Cable> {
  let isCut = false
  const open = new Set<Socket>()
  const server = createServer((near) => {
    if (isCut) return near.destroy()
    const far = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isCut: () => isCut,
    cut: () => {
      isCut = true
      for (const socket of open) socket.destroy()
    },
    mend: () => {
      isCut = false
    },
    close: () => {
      for (const socket of open) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
