/** What some work took: CPU of this process, and time by the clock. */
export type Spent = { cpuMicros: number; ms: number }
/** A round of replication, and how many marks there are after it. */
export type Round = Spent & { rows: number }

/** Measures from now on until what it returns is called. */
export function meter(): () => Spent {
  const [cpu, started] = [process.cpuUsage(), performance.now()]
  return () => {
    const ms = performance.now() - started
    const { user, system } = process.cpuUsage(cpu)
    return { cpuMicros: user + system, ms }
  }
}

type Commands<Inputs> = { [Name in keyof Inputs]: (input: Inputs[Name]) => unknown }

/** Carries out the commands that the benchmark sends as `{ [name]: input }`, and answers `{ [name]: result }`. First it says its port. */
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
