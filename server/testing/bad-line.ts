import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

/**
 * A line to a server of this machine that does what lines do. `target` is asked anew with every connection, for a server that was killed
 * comes back elsewhere.
 */
export type BadLine = {
  url: string
  /** Ends every connection and refuses new ones, until `mend`. */
  cut(): void
  mend(): void
  /** Takes connections and says nothing more on any, until `mend`: no packet comes through, and nobody is told, not of an end either. */
  choke(): void
  /** Resolves with the target of the next connection that sends so many bytes at once. */
  nextSent(bytes: number): Promise<number>
  /** The next answer ends after so many bytes, in the middle of what it says. */
  truncateNext(bytes: number): void
  /** Every piece of an answer comes so many ms later. */
  delay(ms: number): void
  close(): Promise<void>
}

/** `address`: of this machine, where the server also listens. */
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
      // What was choked has lost bytes: such a connection is of no use to anybody.
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
