import { join } from 'node:path'
import { ChunkTable } from './chunk-table.ts'
import type { ContentFolder } from './disk.ts'
import { blockOf, chunkIn, DamagedPackError, digestAt, type PackIndex, readBlock, readIndex } from './pack.ts'

/**
 * A pack is in use, or was set aside because something in it is damaged: then it is read, and nothing new relies on it. What is being
 * written bears another name until it is whole.
 */
export const [IN_USE, ASIDE, UNFINISHED] = ['.pack', '.aside', '.unfinished-'] as const
const NAME = /^([0-9a-f]{64})\.(?:pack|aside)$/
/** Blocks that are kept unpacked while something is read: what changed lies between what did not. A quarter of a megabyte each. */
const BLOCKS_KEPT = 128

export type Pack = { name: string; path: string; index: PackIndex; isAside: boolean }
/** A chunk: which pack, counted as `Packs` does, and which chunk in it. */
export type ChunkPosition = { pack: number; number: number }

/**
 * The packs in a folder, whose indexes are read when it is opened. `without`: packs that are read, while what is added relies on none of
 * them.
 */
export class Packs {
  readonly all: Pack[] = []
  private readonly byName = new Map<string, number>()
  private readonly unpacked = new Map<string, Buffer>()
  /** Digests of the pack that is being written, which will be the next. */
  private writing: Buffer[] = []
  private readonly table = new ChunkTable((pack, number) => {
    const found = this.all[pack]
    return found ? digestAt(found.index, number) : (this.writing[number] as Buffer)
  })

  private constructor(readonly where: ContentFolder) {}

  static async open(where: ContentFolder, without: ReadonlySet<string> = new Set()): Promise<Packs> {
    const packs = new Packs(where)
    for (const file of (await where.disk.names(where.folder)).sort()) {
      const name = NAME.exec(file)?.[1]
      if (name) await packs.take(name, file, without.has(name))
    }
    return packs
  }

  /** An index that is not right says nothing: what it held is stored anew, and who needs it hears of it. */
  private async take(name: string, file: string, isLeftOut: boolean): Promise<void> {
    try {
      const pack = await this.register(name, file)
      if (!pack.isAside && !isLeftOut) this.learn(this.all.length - 1, pack.index)
    } catch (error) {
      if (!(error instanceof DamagedPackError)) throw error
    }
  }

  private async register(name: string, file: string): Promise<Pack> {
    const path = join(this.where.folder, file)
    const size = (await this.where.disk.size(path)) ?? 0
    const index = await readIndex(name, size, (at, length) => this.where.disk.read(path, at, length))
    const pack = { name, path, index, isAside: file.endsWith(ASIDE) }
    this.byName.set(name, this.all.push(pack) - 1)
    return pack
  }

  private learn(pack: number, index: PackIndex): void {
    for (let number = 0; number < index.lengths.length; number += 1) this.table.add(digestAt(index, number), pack, number)
  }

  get(name: string): Pack | null {
    return this.all[this.byName.get(name) ?? -1] ?? null
  }

  find(digest: Buffer): ChunkPosition | null {
    return this.table.find(digest)
  }

  /** A chunk of the pack that is being written: known from now on. */
  announce(digest: Buffer): ChunkPosition {
    const place = { pack: this.all.length, number: this.writing.push(digest) - 1 }
    this.table.add(digest, place.pack, place.number)
    return place
  }

  /** The pack that was being written is on the disk. */
  async finished(name: string): Promise<void> {
    await this.register(name, name + IN_USE)
    this.writing = []
  }

  /** Null where that very place does not hold what was written there. */
  async chunkAt(pack: Pack, number: number): Promise<Buffer | null> {
    const block = blockOf(pack.index, number)
    return chunkIn(pack.index, block, await this.blockAt(pack, block), number)
  }

  private async blockAt(pack: Pack, block: number): Promise<Buffer> {
    const key = `${pack.name} ${block}`
    const raw = this.unpacked.get(key) ?? (await readBlock(pack.index, block, (at, length) => this.where.disk.read(pack.path, at, length)))
    this.unpacked.delete(key)
    this.unpacked.set(key, raw)
    const [oldest] = this.unpacked.keys()
    if (this.unpacked.size > BLOCKS_KEPT && oldest !== undefined) this.unpacked.delete(oldest)
    return raw
  }

  /** The same chunk from another pack that has it too, for where its own place turned out to be damaged. */
  async chunkElsewhere(damaged: Pack, number: number): Promise<Buffer | null> {
    const digest = digestAt(damaged.index, number)
    for (const pack of this.all) {
      if (pack === damaged) continue
      const at = pack.index.digests.indexOf(digest)
      const chunk = at >= 0 && at % digest.length === 0 ? await this.chunkAt(pack, at / digest.length) : null
      if (chunk) return chunk
    }
    return null
  }
}
