/** One line that is written over while something long goes on; on a terminal every step, elsewhere the start and the end. */
export function progress(title: string): (share: number) => void {
  const started = performance.now()
  let last = 0
  if (!process.stderr.isTTY) console.error(`${title} …`)
  return (share) => {
    const seconds = ((performance.now() - started) / 1_000).toFixed(0)
    if (share < 1 && (!process.stderr.isTTY || performance.now() - last < 200)) return
    last = performance.now()
    const line = `${title}: ${(share * 100).toFixed(0)} % (${seconds} s)`
    process.stderr.write(process.stderr.isTTY ? `\r${line}${share === 1 ? '\n' : ''}` : `${line}\n`)
  }
}
