import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'

const LOOPBACK = '127.0.0.1'

/** The port itself where it is free, any free one for 0; null where it is taken. */
const free = (port: number): Promise<number | null> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(null))
    server.listen(port, LOOPBACK, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? null) : null))
    })
  })

/**
 * A free port of this machine alone, the one of the last start where that is free: what the window keeps for a page, it keeps for an
 * address with its port.
 */
export async function choosePort(stateFile: string): Promise<number> {
  const known = rememberedIn(stateFile)
  const port = (known && (await free(known))) || (await free(0))
  if (!port) throw new Error('This computer has no free port.')
  if (port !== known) writeFileSync(stateFile, `${JSON.stringify({ port })}\n`, { mode: 0o600 })
  return port
}

function rememberedIn(stateFile: string): number | null {
  try {
    const { port } = JSON.parse(readFileSync(stateFile, 'utf8')) as { port: unknown }
    return Number.isInteger(port) && Number(port) > 1_023 && Number(port) < 65_536 ? Number(port) : null
  } catch {
    return null
  }
}
