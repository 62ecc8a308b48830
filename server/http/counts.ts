/** Counts by key; those of zero are removed. */
export class Counts extends Map<string, number> {
  of(key: string): number {
    return this.get(key) ?? 0
  }

  add(key: string, by: number): void {
    if (this.of(key) + by > 0) this.set(key, this.of(key) + by)
    else this.delete(key)
  }
}
