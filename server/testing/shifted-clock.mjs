// Loaded into a program before its own code (`node --import`): its clock is ahead of the machine's by as many ms as the file of TEST_CLOCK
// says, which a test may change at any moment.
import { readFileSync } from 'node:fs'

const LOOK = 50
const now = Date.now.bind(Date)
const file = process.env['TEST_CLOCK']
let [ahead, lookedAt] = [0, Number.NEGATIVE_INFINITY]

function shifted() {
  const at = performance.now()
  if (at - lookedAt > LOOK) {
    lookedAt = at
    try {
      ahead = Number(readFileSync(file, 'utf8')) || 0
    } catch {
      // Not there yet, or being written.
    }
  }
  return now() + ahead
}

globalThis.Date = new Proxy(Date, {
  construct: (Real, args, target) => Reflect.construct(Real, args.length === 0 ? [shifted()] : args, target),
  get: (Real, name) => (name === 'now' ? shifted : Real[name]),
})
