export type Undone<T> = { item: T; failure: unknown }
export type Run<T> = { done: number; total: number; undone: readonly Undone<T>[] }

/** One after the other, so that each is told how it went; what one refuses does not stop the next. `tell` hears of every step. */
export async function runEach<T>(items: readonly T[], act: (item: T) => Promise<unknown>, tell: (run: Run<T>) => void): Promise<Run<T>> {
  let run: Run<T> = { done: 0, total: items.length, undone: [] }
  tell(run)
  for (const item of items) {
    const failure = await act(item).then(
      () => null,
      (error: unknown) => ({ item, failure: error }),
    )
    run = { ...run, done: run.done + 1, undone: failure ? [...run.undone, failure] : run.undone }
    tell(run)
  }
  return run
}
