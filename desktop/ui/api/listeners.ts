/** Those who want to know of a change. */
export class Listeners<Values extends readonly unknown[] = []> {
  private readonly all = new Set<(...values: Values) => void>()

  /** Calls the listener at every change, until the returned function is called. */
  readonly add = (listener: (...values: Values) => void): (() => void) => {
    this.all.add(listener)
    return () => void this.all.delete(listener)
  }

  notify(...values: Values): void {
    for (const listener of this.all) listener(...values)
  }
}
