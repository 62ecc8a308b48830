/** Does `work` for the first time `first` ms from now, then each time `every` ms after it has ended. It never throws. */
export function repeatedly(work: () => Promise<unknown>, { first, every }: { first: number; every: number }): { stop(): Promise<void> } {
  let running: Promise<unknown> = Promise.resolve()
  let next: NodeJS.Timeout
  const plan = (ms: number) => {
    next = setTimeout(() => {
      running = work().finally(() => plan(every))
    }, ms).unref()
  }
  plan(first)
  return {
    stop: async () => {
      clearTimeout(next)
      await running
      clearTimeout(next)
    },
  }
}
