export type RunProgress<T> = { done: number; total: number; failed: readonly { item: T; failure: unknown }[] }

/** Runs `act` for each item in turn, also after a failure. `onProgress` gets the progress after each. */
export async function runEach<T>(
  items: readonly T[],
  act: (item: T) => Promise<unknown>,
  onProgress: (run: RunProgress<T>) => void,
): Promise<RunProgress<T>> {
  let run: RunProgress<T> = { done: 0, total: items.length, failed: [] }
  onProgress(run)
  for (const item of items) {
    const failure = await act(item).then(
      () => null,
      (error: unknown) => ({ item, failure: error }),
    )
    run = { ...run, done: run.done + 1, failed: failure ? [...run.failed, failure] : run.failed }
    onProgress(run)
  }
  return run
}
