import { join } from 'node:path'
import type { NewFile } from './disk.ts'
import { digestOfChunk, packBuilder } from './pack.ts'
import { type ChunkPosition, IN_USE, type Packs, UNFINISHED } from './packs.ts'
import { type Content, extend, type Run } from './places.ts'

type Open = { file: NewFile; path: string; builder: ReturnType<typeof packBuilder> }

/**
 * Stores those chunks that are not there yet, and answers where all of them are. All of it is on the disk then. Where it throws, `packs` is
 * of no use any more, and the next collection removes what was left.
 */
export async function addContent(packs: Packs, chunks: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<Content> {
  const { folder, disk } = packs.where
  await disk.makeFolder(folder)
  const writer = new PackWriter(packs)
  const runs: Run[] = []
  try {
    for await (const chunk of chunks) {
      const digest = digestOfChunk(chunk)
      const { pack, number } = packs.find(digest) ?? (await writer.add(chunk, digest))
      extend(runs, pack, number)
    }
    await writer.end()
    await disk.syncFolder(folder)
  } catch (error) {
    await writer.giveUp()
    throw error
  }
  return named(packs, runs)
}

/** Packs are counted by a content itself, in the order in which it names them first. */
function named(packs: Packs, runs: readonly Run[]): Content {
  const local = new Map<number, number>()
  const names: string[] = []
  const own = runs.map(({ pack, first, count }) => {
    const known = local.get(pack) ?? names.push(packs.all[pack]?.name ?? '') - 1
    local.set(pack, known)
    return { pack: known, first, count }
  })
  return { packs: names, runs: own }
}

class PackWriter {
  private open: Open | null = null

  constructor(private readonly packs: Packs) {}

  async add(chunk: Buffer, digest: Buffer): Promise<ChunkPosition> {
    const { file, builder } = this.open ?? (await this.begin())
    await this.append(file, builder.add(chunk, digest))
    const place = this.packs.announce(digest)
    if (builder.isFull()) await this.end()
    return place
  }

  private async begin(): Promise<Open> {
    const { disk, folder, sizes } = this.packs.where
    const path = join(folder, `${UNFINISHED}${this.packs.all.length}`)
    this.open = { path, file: await disk.create(path), builder: packBuilder(sizes) }
    await this.append(this.open.file, this.open.builder.head)
    return this.open
  }

  private async append(file: NewFile, bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return
    await this.packs.where.disk.needRoom(this.packs.where.folder, bytes.length)
    await file.append(bytes)
  }

  async end(): Promise<void> {
    if (!this.open) return
    const { file, path, builder } = this.open
    const { bytes, name } = builder.end()
    await this.append(file, bytes)
    await file.close()
    this.open = null
    await this.packs.where.disk.rename(path, join(this.packs.where.folder, name + IN_USE))
    await this.packs.finished(name)
  }

  /** Makes room again where the disk lets it; else the next collection does. */
  async giveUp(): Promise<void> {
    if (!this.open) return
    const { file, path } = this.open
    await file.close().catch(() => {})
    await this.packs.where.disk.remove(path).catch(() => {})
  }
}
