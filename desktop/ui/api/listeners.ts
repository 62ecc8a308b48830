/** Functions to call at a change. */
export class Listeners<Values extends readonly unknown[] = []> {
  private readonly all = new Set<(...values: Values) => void>()

  /** Adds a listener; the returned function removes it. */
  readonly add = (listener: (...values: Values) => void): (() => void) => {
    this.all.add(listener)
    return () => void this.all.delete(listener)
  }

  notify(...values: Values): void {
    for (const listener of this.all) listener(...values)
  }
}
