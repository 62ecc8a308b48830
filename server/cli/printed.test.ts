import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { printed, printNoCommands } from './printed.ts'

const evil = 'Zoë\u001b[2J\u202eabc\r\u009b31m\u0007\u2028root#'
const shown = 'Zoë\\u001b[2J\\u202eabc\\u000d\\u009b31m\\u0007\\u2028root#'

test('control characters are printed as escapes', () => {
  expect(printed(evil)).toBe(shown)
})

test('line breaks, tabs and letters of every script are printed unchanged', () => {
  const text = 'Élan\tمحمد\u200f\nमैत्री ▀▄█ 👩🏽\u200d🏫'
  expect(printed(text)).toBe(text)
})

test('JSON has the same meaning afterwards', () => {
  const value = { name: evil, lines: 'a\nb' }
  expect(JSON.parse(printed(JSON.stringify(value, null, 2)))).toEqual(value)
})

test('a program whose output is not read any more goes on', async () => {
  const script = `import { ignoreOutputErrors } from ${JSON.stringify(new URL('./printed.ts', import.meta.url).href)}
    ignoreOutputErrors()
    for (let line = 0; line < 20; line += 1) {
      console.log('line', line)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    process.exit(3)`
  const program = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  program.stdout.once('data', () => program.stdout.destroy())
  expect(await once(program, 'exit')).toEqual([3, null])
})

test('every method of the console escapes', () => {
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
