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
  /** Takes connections and says nothing more on any, until `mend`: no packet comes through, and nobody is told. */
  choke(): void
  /** The next answer ends after so many bytes, in the middle of what it says. */
  truncateNext(bytes: number): void
  /** Every piece of an answer comes so many ms later. */
  delay(ms: number): void
  close(): Promise<void>
}

export async function badLineTo(target: () => number): Promise<BadLine> {
  let state: 'whole' | 'cut' | 'choked' = 'whole'
  let truncateAt: number | null = null
  let later = 0
  const open = new Set<Socket>()
  const destroyAll = () => {
    for (const socket of open) socket.destroy()
  }
  const server = createServer((near) => {
    if (state === 'cut') return near.destroy()
    const far = connect(target(), '127.0.0.1')
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
    near.on('data', (part) => state === 'whole' && far.write(part))
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
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
