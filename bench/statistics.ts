export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

/** The value below which this share of the values lies; 0 where there are none. */
export const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0

/** What was measured in pairs, by turns. */
export type Pairs<Ours, Control = Ours> = { ours: Ours[]; control: Control[] }

/** The median of one figure of the rounds. */
export const medianOf = <Figure extends string>(rounds: readonly Record<Figure, number>[], figure: Figure): number =>
  median(rounds.map((round) => round[figure]))

/** The median of the ratios of the pairs, ours over the control, of one figure. */
export const ratioOf = <Figure extends string>({ ours, control }: Pairs<Record<Figure, number>>, figure: Figure): number =>
  median(ours.map((round, at) => round[figure] / (control[at] as Record<Figure, number>)[figure]))
