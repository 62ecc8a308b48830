type Band = { letter: string; minimum: number }
/** A band of the scale: results from `minimum` up to and not including `below`, which is null for the highest band. */
export type Bin = { letter: string; minimum: number; below: number | null; count: number; isPass: boolean }

/** Counts the results in each band of the scale, the lowest band first. Null results are not counted. */
export function distributionOf(results: readonly (number | null)[], bands: readonly Band[], passMark: number): Bin[] {
  const rising = [...bands].sort((a, b) => a.minimum - b.minimum)
  return rising.map(({ letter, minimum }, at) => {
    const below = rising[at + 1]?.minimum ?? null
    const count = results.filter((result) => result !== null && result >= minimum && (below === null || result < below)).length
    return { letter, minimum, below, count, isPass: minimum >= passMark }
  })
}

/** The background of a result: `low` below the pass mark, then 1 to 3 by thirds of the range up to 100; null without a result. */
export function heatOf(result: number | null, passMark: number): 'low' | 1 | 2 | 3 | null {
  if (result === null) return null
  if (result < passMark) return 'low'
  const share = passMark >= 100 ? 1 : (result - passMark) / (100 - passMark)
  return share < 1 / 3 ? 1 : share < 2 / 3 ? 2 : 3
}

/** Quartiles and mean in percent, not rounded. */
export type Spread = { count: number; lowest: number; lower: number; median: number; upper: number; highest: number; mean: number }

/** The spread of the results that are not null; null where there are none. */
export function spreadOf(results: readonly (number | null)[]): Spread | null {
  const rising = results.filter((result) => result !== null).sort((a, b) => a - b)
  const [lowest, highest] = [rising[0], rising.at(-1)]
  if (lowest === undefined || highest === undefined) return null
  return {
    count: rising.length,
    lowest,
    lower: quantile(rising, 0.25),
    median: quantile(rising, 0.5),
    upper: quantile(rising, 0.75),
    highest,
    mean: Math.min(highest, Math.max(lowest, rising.reduce((sum, result) => sum + result, 0) / rising.length)),
  }
}

/** Interpolates between two results. */
function quantile(rising: readonly number[], part: number): number {
  const place = (rising.length - 1) * part
  const [below, above] = [rising[Math.floor(place)] ?? 0, rising[Math.ceil(place)] ?? 0]
  return below + (above - below) * (place - Math.floor(place))
}
