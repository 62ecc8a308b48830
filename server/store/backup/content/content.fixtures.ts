import { basename, dirname } from 'node:path'
import type { Disk, NewFile } from './disk.ts'

export class PowerCut extends Error {}

type File = { written: Buffer[]; safe: number }
/** A change of names in a folder that a power cut may still undo. */
type Change = (names: Map<string, File>) => void

/** What is written beyond the room that there is comes as far as that, and is refused. */
const newFile = (file: File, state: { room: number }, step: () => void): NewFile => ({
  append: async (bytes) => {
    step()
    const fits = Math.min(bytes.length, state.room)
    file.written.push(Buffer.from(bytes.subarray(0, fits)))
    state.room -= fits
    if (fits < bytes.length) throw Object.assign(new Error('no space left on the device'), { code: 'ENOSPC' })
  },
  close: async () => {
    step()
    file.safe = Buffer.concat(file.written).length
  },
})

/**
 * A disk in memory that forgets what it need not keep: of a power cut, names that were not synced come back or not, one by one, and of
 * files that were not closed some part is there. `cutAt`: the step before which the power goes. `room`: bytes until it is full.
 */
export function memoryDisk(random: () => number) {
  let names = new Map<string, File>()
  let safeNames = new Map<string, File>()
  let pending: Change[] = []
  const state = { steps: 0, cutAt: Number.POSITIVE_INFINITY, room: Number.POSITIVE_INFINITY }
  const step = () => {
    state.steps += 1
    if (state.steps >= state.cutAt) throw new PowerCut()
  }
  const change = (made: Change) => {
    made(names)
    pending.push(made)
  }
  const bytesOf = (path: string): Buffer => {
    const file = names.get(path)
    if (!file) throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' })
    return Buffer.concat(file.written)
  }
  const disk: Disk = {
    names: async (folder) => [...names.keys()].filter((path) => dirname(path) === folder).map((path) => basename(path)),
    makeFolder: async () => {},
    size: async (path) => (names.has(path) ? bytesOf(path).length : null),
    read: async (path, at, length) => bytesOf(path).subarray(at, at + length),
    create: async (path) => {
      step()
      const file: File = { written: [], safe: 0 }
      change((all) => all.set(path, file))
      return newFile(file, state, step)
    },
    rename: async (from, to) => {
      step()
      const file = names.get(from)
      if (!file) throw Object.assign(new Error(`no ${from}`), { code: 'ENOENT' })
      change((all) => {
        all.delete(from)
        all.set(to, file)
      })
    },
    remove: async (path) => {
      step()
      state.room += bytesOf(path).length
      change((all) => all.delete(path))
    },
    syncFolder: async () => {
      step()
      safeNames = new Map(names)
      pending = []
    },
    needRoom: async () => {},
  }
  return {
    disk,
    state,
    bytesOf,
    /** The disk after the power came back. */
    reboot(): void {
      for (const made of pending) if (random() < 0.5) made(safeNames)
      for (const file of new Set(safeNames.values())) {
        const bytes = Buffer.concat(file.written)
        file.written = [bytes.subarray(0, file.safe + Math.floor(random() * (bytes.length - file.safe + 1)))]
        file.safe = file.written[0]?.length ?? 0
      }
      names = new Map(safeNames)
      pending = []
      Object.assign(state, { steps: 0, cutAt: Number.POSITIVE_INFINITY })
    },
    /** One bit of a file becomes another. */
    flip(path: string, bit: number): void {
      const file = names.get(path)
      if (!file) return
      const bytes = bytesOf(path)
      const at = Math.floor(bit / 8) % bytes.length
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (bit % 8)), at)
      file.written = [bytes]
    },
    paths: () => [...names.keys()],
  }
}

/** Numbers that look random, the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
