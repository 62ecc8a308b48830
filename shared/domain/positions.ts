/**
 * Position = 1 + number of strictly greater averages (1, 2, 2, 4), in the order given; null is unranked (decisions §5). Compares printed
 * averages, so that students with equal printed figures share a position.
 */
export function positions(averages: readonly (number | null)[]): (number | null)[] {
  const falling = averages.filter((average) => average !== null).sort((a, b) => b - a)
  const firstPlace = new Map<number, number>()
  falling.forEach((average, index) => {
    if (!firstPlace.has(average)) firstPlace.set(average, index + 1)
  })
  return averages.map((average) => (average === null ? null : (firstPlace.get(average) ?? null)))
}
