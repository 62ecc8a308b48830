import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** So many chunks one after the other in a pack; `pack` counts the packs of the same content. */
export type Run = { pack: number; first: number; count: number }
/** What is kept of something that was stored: its chunks in order. */
export type Content = { packs: string[]; runs: Run[] }

/** A database of 4 GB in which every page lies apart from the one before it. */
const MAX_BYTES = 16_777_216
const MAX_RUNS = 4_194_304

/** Longer by one chunk; `runs` is changed. */
export function extend(runs: Run[], pack: number, number: number): void {
  const last = runs.at(-1)
  if (last && last.pack === pack && last.first + last.count === number) last.count += 1
  else runs.push({ pack, first: number, count: 1 })
}

/**
 * The runs as text: of each its pack, how far its first chunk lies from where the last run in that pack ended, and how many; small
 * numbers in few bytes, deflated, in base64. A database of which a tenth changed here and there needs some ten thousand runs.
 */
export function encodeRuns(runs: readonly Run[]): string {
  const bytes: number[] = []
  const put = (value: number) => {
    let rest = value
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
    bytes.push(rest)
  }
  const ends = new Map<number, number>()
  for (const { pack, first, count } of runs) {
    const step = first - (ends.get(pack) ?? 0)
    put(pack)
    put(step < 0 ? -step * 2 - 1 : step * 2)
    put(count)
    ends.set(pack, first + count)
  }
  return deflateRawSync(Buffer.from(bytes)).toString('base64')
}

/** Null where the text is none of ours. */
export function decodeRuns(text: string): Run[] | null {
  let bytes: Buffer
  try {
    bytes = inflateRawSync(Buffer.from(text, 'base64'), { maxOutputLength: MAX_BYTES })
  } catch {
    return null
  }
  const runs: Run[] = []
  const ends = new Map<number, number>()
  let at = 0
  const take = (): number => {
    let [value, factor] = [0, 1]
    for (;;) {
      const byte = bytes[at++]
      if (byte === undefined || factor > 2 ** 42) return Number.NaN
      value += (byte % 128) * factor
      if (byte < 128) return value
      factor *= 128
    }
  }
  while (at < bytes.length) {
    const [pack, step, count] = [take(), take(), take()]
    const first = (ends.get(pack) ?? 0) + (step % 2 === 1 ? -(step + 1) / 2 : step / 2)
    if (!(pack >= 0 && first >= 0 && count > 0 && first + count <= 0xffff_ffff) || runs.length >= MAX_RUNS) return null
    runs.push({ pack, first, count })
    ends.set(pack, first + count)
  }
  return runs
}
