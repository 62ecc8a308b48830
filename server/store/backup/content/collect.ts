import { join } from 'node:path'
import { isDiskFull } from '../../../disk-state.ts'
import { BackupError } from '../manifest.ts'
import { addContent } from './add.ts'
import type { ContentFolder } from './disk.ts'
import { ASIDE, IN_USE, type Pack, Packs, UNFINISHED } from './packs.ts'
import { type Content, extend, type Run } from './places.ts'
import { ContentError, readContent } from './read.ts'

/** Something that is kept. `replace` gives it other places of the same chunks: whole or not at all, and on the disk when it answers. */
export type Kept = { content: Content; replace(content: Content): Promise<void> }

/** A pack of which more than this share is needed no more is written anew, once that is so of all of them together. */
const DEAD = 0.25
/** More packs than this that are not half full are put together. */
const SMALL_PACKS = 64
const HALF_FULL = 33_554_432

/**
 * Removes the packs that none of `kept` names, and writes anew what is left of those that are needed in part. `kept` is everything that
 * is kept, the newest last. At every moment all of it can be read: a pack goes after the last that named it.
 */
export async function collectContent(where: ContentFolder, kept: readonly Kept[]): Promise<void> {
  await removeUnnamed(where, contentsOf(kept))
  const chosen = worthRewriting(await Packs.open(where), kept)
  if (chosen.size > 0) await removeUnnamed(where, await rewrite(await Packs.open(where, chosen), chosen, kept))
}

const contentsOf = (kept: readonly Kept[]) => kept.map(({ content }) => content)

/** Removes what is unfinished, and the packs that none of `contents` names. */
export async function removeUnnamed({ folder, disk }: ContentFolder, contents: readonly Content[]): Promise<void> {
  const named = new Set(contents.flatMap(({ packs }) => packs.flatMap((name) => [name + IN_USE, name + ASIDE])))
  const isGarbage = (file: string) => file.startsWith(UNFINISHED) || (/\.(?:pack|aside)$/.test(file) && !named.has(file))
  for (const file of await disk.names(folder)) if (isGarbage(file)) await disk.remove(join(folder, file))
}

/** Which chunks of each pack are needed. */
function needed(packs: Packs, kept: readonly Kept[]): Map<Pack, Uint8Array> {
  const marks = new Map(packs.all.map((pack) => [pack, new Uint8Array(pack.index.lengths.length)]))
  for (const { content } of kept)
    for (const { pack, first, count } of content.runs) {
      const found = packs.get(content.packs[pack] ?? '')
      if (found) marks.get(found)?.fill(1, first, first + count)
    }
  return marks
}

function worthRewriting(packs: Packs, kept: readonly Kept[]): Set<string> {
  const shares = [...needed(packs, kept)].map(([pack, marks]) => {
    const live = marks.reduce((sum, mark) => sum + mark, 0) / marks.length
    return { pack, dead: pack.index.size * (1 - live), share: 1 - live }
  })
  const sound = shares.filter(({ pack, share }) => !pack.isAside && share < 1)
  const total = sound.reduce((sum, { pack }) => sum + pack.index.size, 0)
  const dead = sound.reduce((sum, one) => sum + one.dead, 0)
  const small = sound.filter(({ pack }) => pack.index.size < HALF_FULL)
  return new Set(
    [...(dead > total * DEAD ? sound.filter(({ share }) => share > DEAD) : []), ...(small.length > SMALL_PACKS ? small : [])].map(
      ({ pack }) => pack.name,
    ),
  )
}

/**
 * New packs first, then everything that names old ones is replaced: answers what is kept from then on. Where a chunk cannot be read, or
 * there is no room, all stays as it is.
 */
async function rewrite(packs: Packs, chosen: ReadonlySet<string>, kept: readonly Kept[]): Promise<Content[]> {
  const moved = await move(packs, chosen, kept).catch(leaveIt)
  if (!moved) return contentsOf(kept)
  const contents: Content[] = []
  for (const { content, replace } of kept) {
    const next = content.packs.some((name) => chosen.has(name)) ? relocated(content, moved) : content
    if (next !== content) await replace(next)
    contents.push(next)
  }
  return contents
}

/** The disk is full, or a chunk is damaged: a reason to go on as it was. */
function leaveIt(error: unknown): null {
  if (error instanceof ContentError || error instanceof BackupError || isDiskFull(error)) return null
  throw error
}

type Moved = Map<string, { names: string[]; packs: Int32Array; numbers: Uint32Array }>

/** Writes what is needed of the chosen packs to new ones, in the order in which the newest needs it. */
async function move(packs: Packs, chosen: ReadonlySet<string>, kept: readonly Kept[]): Promise<Moved> {
  const order: { name: string; number: number }[] = []
  const moved: Moved = new Map()
  async function* chunks() {
    for (const { content } of [...kept].reverse())
      for (const run of content.runs) {
        const name = content.packs[run.pack] ?? ''
        const pack = chosen.has(name) ? packs.get(name) : null
        if (!pack) continue
        const into = moved.get(name) ?? {
          names: [],
          packs: new Int32Array(pack.index.lengths.length).fill(-1),
          numbers: new Uint32Array(pack.index.lengths.length),
        }
        moved.set(name, into)
        for (let number = run.first; number < run.first + run.count; number += 1) {
          if (into.packs[number] !== -1) continue
          into.packs[number] = 0
          order.push({ name, number })
          yield* readContent(packs, { packs: [name], runs: [{ pack: 0, first: number, count: 1 }] })
        }
      }
  }
  const { packs: names, runs } = await addContent(packs, chunks())
  let at = 0
  for (const { pack, first, count } of runs)
    for (let number = first; number < first + count; number += 1) {
      const from = order[at++]
      const into = from && moved.get(from.name)
      if (!into) continue
      into.names = names
      into.packs[from.number] = pack
      into.numbers[from.number] = number
    }
  return moved
}

function relocated({ packs, runs }: Content, moved: Moved): Content {
  const names: string[] = []
  const known = new Map<string, number>()
  const next: Run[] = []
  const put = (name: string, number: number) => {
    const pack = known.get(name) ?? names.push(name) - 1
    known.set(name, pack)
    extend(next, pack, number)
  }
  for (const { pack, first, count } of runs) {
    const name = packs[pack] ?? ''
    const to = moved.get(name)
    for (let number = first; number < first + count; number += 1)
      put(to?.names[to.packs[number] ?? -1] ?? name, to ? (to.numbers[number] ?? 0) : number)
  }
  return { packs: names, runs: next }
}
