/** Bytes of a chunk: at least, at most, and about how many beyond the least one ends by itself. */
const [LEAST, MOST, USUAL_BITS] = [2_048, 65_536, 13] as const
/** The high bits of the rolling hash depend on the last 32 bytes; a chunk ends where all of these are 0. */
const MASK = ((1 << USUAL_BITS) - 1) << (32 - USUAL_BITS)

/** A number of 32 bits for each byte, always the same ones (mulberry32 from 1): a stored chunk is found again by whoever cuts alike. */
const GEAR = Int32Array.from({ length: 256 }, (_, byte) => {
  let mixed = Math.imul(1 + byte, 0x6d2b79f5)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 1 | mixed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return mixed ^ (mixed >>> 14)
})

/**
 * Cuts a stream where its content says, by a rolling hash (gear hash of FastCDC, Xia et al., USENIX ATC 2016): what is put in or taken out
 * changes the chunks about it, and those after it stay the same. Chunks of about 10 KB, never empty.
 */
export async function* cut(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const part of parts) {
    const bytes = rest.length === 0 ? part : Buffer.concat([rest, part])
    let start = 0
    while (bytes.length - start >= MOST) {
      const end = endOf(bytes, start)
      yield bytes.subarray(start, end)
      start = end
    }
    rest = bytes.subarray(start)
  }
  for (let start = 0; start < rest.length; ) {
    const end = endOf(rest, start)
    yield rest.subarray(start, end)
    start = end
  }
}

/** Where the chunk ends that begins at `start`. */
function endOf(bytes: Buffer, start: number): number {
  const last = Math.min(start + MOST, bytes.length)
  let hash = 0
  // What the first bytes leave in the hash has been shifted out when it is first looked at.
  for (let at = start + LEAST - 32; at < last; at += 1) {
    hash = ((hash << 1) + (GEAR[bytes[at] ?? 0] ?? 0)) | 0
    if (at >= start + LEAST && (hash & MASK) === 0) return at + 1
  }
  return last
}
