import { scaled } from './decimal.ts'
import { type Exact, exact, isZero, over, plus, ratio, times, zero } from './exact.ts'

const HUNDRED = ratio(100, 1)

/**
 * Σ(w·100·score/max_score) / Σw of the usable marks of one type, in percent and exact (decisions §5); a null weight is 1. Computes in
 * hundredths. Marks with the same maximum share a denominator, so their products are added as plain integers; a mark with more decimals,
 * or whose product is too large, is added as a fraction.
 */
export class WeightedMean {
  private parts = zero
  private weights = zero
  private max = 0
  private part = 0
  private weight = 0

  add(score: number, maxScore: number, weight: number | null): void {
    const ownWeight = weight === null ? 100 : scaled(weight, 100)
    const max = scaled(maxScore, 100)
    if (max !== this.max) {
      this.flush()
      this.max = max
    }
    const nextPart = this.part + ownWeight * scaled(score, 100)
    const nextWeight = this.weight + ownWeight
    if (Number.isSafeInteger(nextPart) && Number.isSafeInteger(nextWeight) && Number.isSafeInteger(max)) {
      this.part = nextPart
      this.weight = nextWeight
    } else this.addFraction(score, maxScore, weight ?? 1)
  }

  /** Null where nothing was added or the sum of weights is 0. */
  mean(): Exact | null {
    this.flush()
    return isZero(this.weights) ? null : over(times(HUNDRED, this.parts), this.weights)
  }

  private addFraction(score: number, maxScore: number, weight: number): void {
    this.flush()
    const hundredths = times(exact(weight), HUNDRED)
    this.parts = plus(this.parts, over(times(hundredths, exact(score)), exact(maxScore)))
    this.weights = plus(this.weights, hundredths)
  }

  private flush(): void {
    if (this.weight === 0) return
    this.parts = plus(this.parts, ratio(this.part, this.max))
    this.weights = plus(this.weights, ratio(this.weight, 1))
    this.part = 0
    this.weight = 0
  }
}
