/** Loaded before any program that is measured: answers what it has used so far, and ends it with the benchmark. */
export type Usage = { cpuMicros: number; rssBytes: number }

process.on('message', (message: object) => {
  if (!('usage' in message)) return
  const { user, system } = process.cpuUsage()
  const usage: Usage = { cpuMicros: user + system, rssBytes: process.memoryUsage.rss() }
  process.send?.({ usage })
})
process.once('disconnect', () => process.exit())
