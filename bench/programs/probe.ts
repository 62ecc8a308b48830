/** Loaded before a measured program: replies with its CPU time and memory, and ends it when the benchmark ends. */
export type Usage = { cpuMicros: number; rssBytes: number }

process.on('message', (message: object) => {
  if (!('usage' in message)) return
  const { user, system } = process.cpuUsage()
  const usage: Usage = { cpuMicros: user + system, rssBytes: process.memoryUsage.rss() }
  process.send?.({ usage })
})
process.once('disconnect', () => process.exit())
