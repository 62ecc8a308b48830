import { createHash } from 'node:crypto'
import type { Pack, Packs } from './packs.ts'
import type { Content, Run } from './places.ts'

/** What was stored cannot be read: `packs` are those that are missing or damaged. */
export class ContentError extends Error {
  constructor(
    message: string,
    readonly packs: readonly string[],
  ) {
    super(message)
  }
}

function packOf(packs: Packs, content: Content, run: Run): Pack {
  const name = content.packs[run.pack] ?? ''
  const pack = packs.get(name)
  if (!pack) throw new ContentError(`the pack ${name}, in which a part of it lies, is missing or damaged`, [name])
  if (run.first + run.count > pack.index.lengths.length) throw new ContentError(`the pack ${name} has not what it names there`, [name])
  return pack
}

/** The chunks in order, each proved by its digest. Throws `ContentError` at the first that cannot be had from anywhere. */
export async function* readContent(packs: Packs, content: Content): AsyncGenerator<Buffer> {
  for (const run of content.runs) {
    const pack = packOf(packs, content, run)
    for (let number = run.first; number < run.first + run.count; number += 1) {
      const chunk = (await packs.chunkAt(pack, number)) ?? (await packs.chunkElsewhere(pack, number))
      if (!chunk) throw new ContentError(`the pack ${pack.name}, in which a part of it lies, is damaged`, [pack.name])
      yield chunk
    }
  }
}

/** What reading each place itself brought: of the whole SHA-256 and bytes, and which packs are missing or damaged. */
export type Verified = { digest: string; size: number; damaged: string[] }

export async function verifyContent(packs: Packs, content: Content): Promise<Verified> {
  const hash = createHash('sha256')
  const damaged = new Set<string>()
  let size = 0
  for (const run of content.runs) {
    try {
      const pack = packOf(packs, content, run)
      for (let number = run.first; number < run.first + run.count; number += 1) {
        const chunk = await packs.chunkAt(pack, number)
        if (!chunk) damaged.add(pack.name)
        hash.update(chunk ?? '')
        size += chunk?.length ?? 0
      }
    } catch (error) {
      if (!(error instanceof ContentError)) throw error
      for (const name of error.packs) damaged.add(name)
    }
  }
  return { digest: hash.digest('hex'), size, damaged: [...damaged] }
}
