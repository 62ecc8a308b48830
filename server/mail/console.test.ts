import { expect, test } from 'vitest'
import { consoleMailer } from './console.ts'
import { signInCodeMessage } from './messages.ts'

const NOON = Date.UTC(2026, 8, 1, 12)
const message = {
  to: 'ada@school.example',
  lane: 'members' as const,
  ...signInCodeMessage({ code: '04719362', site: 'http://localhost:3000' }),
  expiresAt: NOON + 1,
}

function mailer(now: number) {
  const printed: string[] = []
  return { printed, mailer: consoleMailer({ clock: { now: () => now }, print: (text) => void printed.push(text) }) }
}

test('the code is printed in a box, grouped and plain, with whom it is for', () => {
  const { printed, mailer: one } = mailer(NOON)
  one.send(message)
  const lines = (printed[0] as string).trimEnd().split('\n')
  expect(lines[0]).toMatch(/^┌─+┐$/)
  expect(lines.at(-1)).toMatch(/^└─+┘$/)
  expect(new Set(lines.map((line) => line.length)).size).toBe(1)
  expect(lines.map((line) => line.slice(2, -2).trim())).toEqual(expect.arrayContaining(['To: ada@school.example', '0471 9362', '04719362']))
  expect(one.state()).toEqual({ kind: 'console', lastFailure: null, queued: 0 })
})

test('what has expired is not printed, and an address cannot draw outside the box', () => {
  const { printed, mailer: one } = mailer(NOON + 1)
  one.send(message)
  expect(printed).toEqual([])
  expect(() => one.send({ ...message, to: 'ada@school.example\u001b[2J' })).toThrow(TypeError)
})

test('the mail says how long the code works and what to do if one did not ask, and keeps the code out of the subject', () => {
  expect(message.subject).not.toMatch(/\d/)
  expect(message.text).toContain('within 10 minutes')
  expect(message.text).toContain('http://localhost:3000')
  expect(message.text).toContain('You did not ask for a code?')
  expect(message.text.split('\n').every((line) => line.length <= 76)).toBe(true)
})
