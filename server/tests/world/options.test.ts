import { expect, test } from 'vitest'
import { optionsIn } from './options.ts'

test('the simulation takes the options that it has', () => {
  expect([...optionsIn(['--seed', '3', '--faults', 'clock wrong,child crashes'])]).toEqual([
    ['seed', '3'],
    ['faults', 'clock wrong,child crashes'],
  ])
})

test.each([
  [['--from', '3'], "Unknown option '--from'"],
  [['--seed'], "Option '--seed <value>' argument missing"],
  [['--faults', 'clock wrong,no such'], 'There is no fault no such.'],
  [['--also', 'no such'], 'There is no fault no such.'],
])('it refuses %j in a clear line, with the options that there are', (args, line) => {
  expect(() => optionsIn(args)).toThrow(line)
  expect(() => optionsIn(args)).toThrow('--seeds --seed --events')
})
