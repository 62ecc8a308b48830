import { open } from 'node:fs/promises'

/** Where no head says how large pages are. */
const USUAL = 4_096
const AT_ONCE = 1_048_576

/** The pages of a SQLite database, of the size that its head names (https://sqlite.org/fileformat.html, «The Database Header»). */
export async function* pagesOf(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, 'r')
  try {
    const head = Buffer.alloc(18)
    await file.read(head, 0, 18, 0)
    const said = head.toString('latin1', 0, 15) === 'SQLite format 3' ? head.readUInt16BE(16) : USUAL
    const size = said === 1 ? 65_536 : said >= 512 ? said : USUAL
    for (let at = 0; ; at += AT_ONCE) {
      const bytes = Buffer.allocUnsafe(AT_ONCE)
      const read = await readFully(file, bytes, at)
      for (let page = 0; page < read; page += size) yield bytes.subarray(page, Math.min(page + size, read))
      if (read < AT_ONCE) return
    }
  } finally {
    await file.close()
  }
}

type Readable = { read(bytes: Buffer, into: number, length: number, at: number): Promise<{ bytesRead: number }> }
async function readFully(file: Readable, bytes: Buffer, at: number): Promise<number> {
  let read = 0
  for (;;) {
    const { bytesRead } = await file.read(bytes, read, bytes.length - read, at + read)
    read += bytesRead
    if (bytesRead === 0 || read === bytes.length) return read
  }
}
