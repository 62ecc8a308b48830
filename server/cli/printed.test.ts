import { expect, test } from 'vitest'
import { printed, printNoCommands } from './printed.ts'

const evil = 'Zoë\u001b[2J\u202eabc\r\u009b31m\u0007\u2028root#'
const shown = 'Zoë\\u001b[2J\\u202eabc\\u000d\\u009b31m\\u0007\\u2028root#'

test('what tells a terminal to do something is seen, and does nothing', () => {
  expect(printed(evil)).toBe(shown)
})

test('lines, columns and letters of every script are printed as they are', () => {
  const text = 'Élan\tمحمد\u200f\nमैत्री ▀▄█ 👩🏽\u200d🏫'
  expect(printed(text)).toBe(text)
})

test('JSON means the same afterwards', () => {
  const value = { name: evil, lines: 'a\nb' }
  expect(JSON.parse(printed(JSON.stringify(value, null, 2)))).toEqual(value)
})

test('whatever is printed, and however', () => {
  const lines: unknown[][] = []
  const note = (...values: unknown[]) => void lines.push(values)
  const to = { log: note, warn: note, error: note }
  printNoCommands(to)
  to.log(evil)
  to.warn('%s is %d', evil, 7)
  to.error(new Error(evil))
  expect(lines[0]).toEqual([shown])
  expect(lines[1]).toEqual([`${shown} is 7`])
  expect(lines[2]?.[0]).toContain('\\u001b[2J')
})
