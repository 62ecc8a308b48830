import { createHash } from 'node:crypto'
import { Readable, Transform } from 'node:stream'

/** Size in bytes and SHA-256 in hex. */
export type Digest = { size: number; sha256: string }

const PIECE = 262_144

/** Yields the bytes in pieces, so that hashing five megabytes does not block the event loop. */
function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE)
}

export const streamOf = (content: Uint8Array | Readable): Readable =>
  content instanceof Readable ? content : Readable.from(piecesOf(content), { objectMode: false })

/** Passes a stream through, and computes its digest by the end. */
export function hashingStream(): { through: Transform; digest(): Digest } {
  const hash = createHash('sha256')
  let size = 0
  const through = new Transform({
    transform(piece: Uint8Array, _encoding, done) {
      hash.update(piece)
      size += piece.length
      done(null, piece)
    },
  })
  return { through, digest: () => ({ size, sha256: hash.digest('hex') }) }
}

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
