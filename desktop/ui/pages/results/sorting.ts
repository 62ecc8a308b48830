/** Rows by a figure, the best first; without a figure last, either way. Equal ones keep the order they came in. `down`: the worst first. */
export function byFigure<T>(rows: readonly T[], figureOf: (row: T) => number | null, down = false): T[] {
  const sign = down ? 1 : -1
  return [...rows].sort((a, b) => {
    const [x, y] = [figureOf(a), figureOf(b)]
    if (x === null || y === null) return Number(x === null) - Number(y === null)
    return sign * (x - y)
  })
}
