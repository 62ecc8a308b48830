import { limits } from '@markbook/shared/limits'
import { expect, test } from 'vitest'
import { type Refusal, RefusalLog, type Sender } from './refusal-log.ts'

const sender = (peer: string | null): Sender => ({ peer, node: 'a number', kind: 'laptop', person: 'ada' })
const forged: Refusal = { table: 'subject', row: 'a row', code: 'not_yours' }

function logOf() {
  const lines: unknown[] = []
  let now = 1_000_000
  const log = new RefusalLog({ clock: { now: () => now }, log: { warn: (fields) => void lines.push(fields) } })
  return { log, lines, wait: (ms: number) => (now += ms) }
}
const { everyMs, senders } = limits.sync.refusalLog

test('what is refused of a node is one line a minute, with how many there were since the line before', () => {
  const { log, lines, wait } = logOf()
  log.note(sender('ada'), [forged, { ...forged, row: 'another' }])
  expect(lines).toEqual([{ node: 'a number', kind: 'laptop', person: 'ada', ...forged, count: 2 }])
  for (let time = 0; time < 200; time += 1) log.note(sender('ada'), [forged])
  expect(lines).toHaveLength(1)
  wait(everyMs)
  log.note(sender('ada'), [{ ...forged, code: 'malformed' }])
  expect(lines).toHaveLength(2)
  expect(lines[1]).toMatchObject({ code: 'malformed', count: 201 })
})

test('each node has its own line, and whoever is not enrolled has one together', () => {
  const { log, lines } = logOf()
  for (const peer of ['ada', 'byrne', null, null]) log.note(sender(peer), [forged])
  expect(lines).toHaveLength(3)
})

test('nothing is written where nothing was refused, and no more senders are kept than the limit', () => {
  const { log, lines } = logOf()
  log.note(sender('ada'), [])
  expect(lines).toEqual([])
  for (let peer = 0; peer <= senders; peer += 1) log.note(sender(`${peer}`), [forged])
  log.note(sender('1'), [forged])
  expect(lines).toHaveLength(senders + 1)
  log.note(sender('0'), [forged])
  expect(lines).toHaveLength(senders + 2)
})
