// Work that takes longer than a second prints its title and its time so far. On stderr, since stdout belongs to the program that is
// started.
import { clearLine, cursorTo } from 'node:readline'

const TERMINAL_MS = 200
const LOG_MS = 5_000

const running = new Map()
let timer

const seconds = (since) => `${Math.round((Date.now() - since) / 1_000)} s`
const line = () => [...running].map(([title, { since, share }]) => `${title} ${share ? `${share()} %, ` : ''}${seconds(since)}`).join(' · ')

function draw() {
  if (!process.stderr.isTTY) return void process.stderr.write(`… ${line()}\n`)
  erase()
  process.stderr.write(`… ${line()}`.slice(0, process.stderr.columns - 1))
}

function erase() {
  if (!process.stderr.isTTY) return
  clearLine(process.stderr, 0)
  cursorTo(process.stderr, 0)
}

/** Runs `work` with a title; `share` returns the percentage that is done. Several at the same time share a line. */
export async function withProgress(title, work, share) {
  const since = Date.now()
  running.set(title, { since, share })
  timer ??= setInterval(draw, process.stderr.isTTY ? TERMINAL_MS : LOG_MS)
  try {
    const result = await work()
    erase()
    process.stderr.write(`✓ ${title} (${seconds(since)})\n`)
    return result
  } finally {
    running.delete(title)
    if (running.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
  }
}
