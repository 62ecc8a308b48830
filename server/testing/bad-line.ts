import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

/** A faulty proxy to a server of this machine. `target` is read for each connection, since a restarted server has another port. */
export type BadLine = {
  url: string
  /** Closes every connection and refuses new ones, until `mend`. */
  cut(): void
  mend(): void
  /** Accepts connections and passes no more bytes on, until `mend`, not even the end of a connection. */
  choke(): void
  /** Resolves with the target of the next connection that sends this many bytes at once. */
  nextSent(bytes: number): Promise<number>
  /** Cuts the next reply off after this many bytes. */
  truncateNext(bytes: number): void
  /** Delays every piece of a reply by this many ms. */
  delay(ms: number): void
  close(): Promise<void>
}

/** `address`: an address of this machine on which the server also listens. */
export async function badLineTo(
  target: () => number,
  { scheme = 'http', address = '127.0.0.1' }: { scheme?: 'http' | 'https'; address?: string } = {},
): Promise<BadLine> {
  let watching: { bytes: number; tell: (target: number) => void } | null = null
  let state: 'whole' | 'cut' | 'choked' = 'whole'
  let truncateAt: number | null = null
  let later = 0
  const open = new Set<Socket>()
  const destroyAll = () => {
    for (const socket of open) socket.destroy()
  }
  const server = createServer((near) => {
    if (state === 'cut') return near.destroy()
    const port = target()
    const far = connect(port, address)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      const end = () => state !== 'choked' && other.destroy()
      one.on('error', end)
      one.on('close', () => {
        open.delete(one)
        end()
      })
    }
    near.on('data', (part) => {
      if (state !== 'whole') return
      far.write(part)
      if (!watching || part.length < watching.bytes) return
      watching.tell(port)
      watching = null
    })
    far.on('data', (part) => {
      if (state !== 'whole') return
      if (truncateAt !== null) {
        const piece = part.subarray(0, truncateAt)
        truncateAt = null
        near.write(piece, () => near.destroy())
        return
      }
      if (later === 0) near.write(part)
      else setTimeout(() => near.writable && near.write(part), later)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  return {
    url: `${scheme}://${address}:${(server.address() as AddressInfo).port}`,
    cut: () => {
      state = 'cut'
      destroyAll()
    },
    choke: () => {
      state = 'choked'
    },
    mend: () => {
      // A choked connection has lost bytes, so it cannot go on.
      if (state === 'choked') destroyAll()
      state = 'whole'
    },
    nextSent: (bytes) =>
      new Promise((tell) => {
        watching = { bytes, tell }
      }),
    truncateNext: (bytes) => {
      truncateAt = bytes
    },
    delay: (ms) => {
      later = ms
    },
    close: () => {
      destroyAll()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
