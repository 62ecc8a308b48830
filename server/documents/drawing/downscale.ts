/** Rows of 8-bit red, green, blue; `alpha` is null where all pixels are opaque. */
export type Pixels = { width: number; height: number; rgb: Uint8Array; alpha: Uint8Array | null }

/** `dot`: red, green, blue and opacity. */
export type Downscaler = { add(x: number, y: number, dot: Uint8Array): void; pixels(): Pixels }

/** For each of `whole` positions, the index of the part, of `count` equal parts, that contains it. */
function partsOf(whole: number, count: number): Uint16Array {
  const part = new Uint16Array(whole)
  for (let index = 0; index < count; index += 1)
    part.fill(index, Math.floor((index * whole) / count), Math.floor(((index + 1) * whole) / count))
  return part
}

/**
 * Downscales a picture until neither side has more than `most` pixels; its pixels may arrive in any order. Each new pixel is the mean of
 * those that it replaces, weighted by opacity. The large picture is never in memory.
 */
export function downscaler(whole: { width: number; height: number }, most: number): Downscaler {
  const factor = Math.max(1, whole.width / most, whole.height / most)
  const width = Math.max(1, Math.round(whole.width / factor))
  const height = Math.max(1, Math.round(whole.height / factor))
  const [columns, rows] = [partsOf(whole.width, width), partsOf(whole.height, height)]
  /** For each new pixel: red, green and blue, each times opacity; opacity; number of pixels. */
  const sums = new Float64Array(width * height * 5)
  return {
    add(x, y, dot) {
      const at = ((rows[y] as number) * width + (columns[x] as number)) * 5
      const opaque = dot[3] as number
      sums[at] = (sums[at] as number) + (dot[0] as number) * opaque
      sums[at + 1] = (sums[at + 1] as number) + (dot[1] as number) * opaque
      sums[at + 2] = (sums[at + 2] as number) + (dot[2] as number) * opaque
      sums[at + 3] = (sums[at + 3] as number) + opaque
      sums[at + 4] = (sums[at + 4] as number) + 1
    },
    pixels() {
      const [rgb, alpha] = [new Uint8Array(width * height * 3), new Uint8Array(width * height)]
      for (let at = 0; at < alpha.length; at += 1) {
        const weight = sums[at * 5 + 3] as number
        for (let channel = 0; channel < 3; channel += 1)
          rgb[at * 3 + channel] = weight === 0 ? 255 : Math.round((sums[at * 5 + channel] as number) / weight)
        alpha[at] = Math.round(weight / (sums[at * 5 + 4] as number))
      }
      return { width, height, rgb, alpha: alpha.every((opaque) => opaque === 255) ? null : alpha }
    },
  }
}
