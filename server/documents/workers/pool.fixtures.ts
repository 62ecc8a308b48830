import { importFailures } from '@markbook/shared/contract/imports'
import { runTasks } from './run-tasks.ts'

/* A worker with misbehaving tasks, for the tests of the pool. */

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

runTasks({
  echo: async (input: unknown) => input,
  bytes: async (size: number) => new Uint8Array(size).fill(7),
  slow: async (ms: number) => pause(ms).then(() => ms),
  count: async (to: number, ask: (question: number) => Promise<number>) => {
    let sum = 0
    for (let at = 1; at <= to; at += 1) sum += await ask(at)
    return sum
  },
  patient: async (steps: number, ask: (question: number) => Promise<void>) => {
    for (let at = 0; at < steps; at += 1) await pause(150).then(() => ask(at))
    return 'done'
  },
  refuse: async () => {
    throw importFailures.duplicateColumn({ message: 'Two columns.' })
  },
  throws: async () => {
    throw new TypeError('a mistake of the program')
  },
  dies: async () => {
    setTimeout(() => {
      throw new Error('out of turn')
    })
    return pause(60_000)
  },
  exits: async () => process.exit(3),
  hangs: async () => {
    for (;;);
  },
  eats: async () => {
    const held: number[][] = []
    for (;;) held.push(Array.from({ length: 100_000 }, (_, at) => at + 0.5))
  },
})
