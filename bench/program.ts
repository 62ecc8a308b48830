/** The cost of some work: CPU time of this process, and elapsed time. */
export type Spent = { cpuMicros: number; ms: number }
/** A round of replication; `rows`: the number of marks after it. */
export type Round = Spent & { rows: number }

/** Begins to measure; the returned function ends it and returns the cost. */
export function meter(): () => Spent {
  const [cpu, started] = [process.cpuUsage(), performance.now()]
  return () => {
    const ms = performance.now() - started
    const { user, system } = process.cpuUsage(cpu)
    return { cpuMicros: user + system, ms }
  }
}

type Commands<Inputs> = { [Name in keyof Inputs]: (input: Inputs[Name]) => unknown }

/**
 * Runs the commands that the benchmark sends as `{ [name]: input }`, and replies `{ [name]: result }`, or `{ failure }` with a stack. Sends
 * its port first.
 */
export function serveCommands<Inputs extends Record<string, unknown>>(commands: Commands<Inputs>, port = 0): void {
  process.on('message', async (message: Partial<Inputs>) => {
    for (const name of Object.keys(commands)) {
      if (!(name in message)) continue
      try {
        process.send?.({ [name]: (await commands[name as keyof Inputs](message[name] as Inputs[keyof Inputs])) ?? null })
      } catch (error) {
        process.send?.({ failure: (error as Error).stack })
      }
    }
  })
  process.send?.({ port })
}
