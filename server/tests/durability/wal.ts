/** A write-ahead log of SQLite, in the format that its file format document describes: a header, then one frame a page. */
export type Wal = {
  bytes: Buffer
  /** How often the log was begun again since the database was made. */
  round: number
  /** Bytes of a frame: its header and one page. */
  frame: number
  /** Where each transaction's last frame ends. */
  commitEnds: number[]
}

const HEADER = 32
const FRAME_HEADER = 24

export function walOf(bytes: Buffer): Wal {
  const frame = FRAME_HEADER + bytes.readUInt32BE(8)
  const salt = bytes.subarray(16, 24)
  const commitEnds: number[] = []
  for (let at = HEADER; at + frame <= bytes.length; at += frame) {
    // Frames of an earlier round of the log have another salt.
    if (!bytes.subarray(at + 8, at + 16).equals(salt)) break
    const pagesAfterCommit = bytes.readUInt32BE(at + 4)
    if (pagesAfterCommit > 0) commitEnds.push(at + frame)
  }
  return { bytes, round: bytes.readUInt32BE(12), frame, commitEnds }
}
