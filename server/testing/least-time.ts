/**
 * The least CPU time of a step of this process, in ms, over up to five runs; stops once a run takes at most `enough`.
 *
 * Other work on the machine makes some runs slower, and none faster. So a test with a limit on work compares the least time, and fails
 * only where every run is too slow.
 */
export async function leastTime(enough: number, step: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < 5 && least > enough; run += 1) {
    const before = process.cpuUsage()
    await step()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1_000)
  }
  return least
}
