import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { choice, ids, input, Name, QueryFlag } from './scalars.ts'

const messages = (schema: z.ZodType, value: unknown): string[] =>
  (schema.safeParse(value).error?.issues ?? []).map(({ message }) => message)

test.each([
  ['true', true],
  ['false', false],
])('QueryFlag reads %s', (text, value) => {
  expect(QueryFlag.parse(text)).toBe(value)
})

test.each(['', '1', 'TRUE', 'yes', true, ['true', 'false']])('QueryFlag refuses %j', (value) => {
  expect(messages(QueryFlag, value)).toEqual(['must be true or false'])
})

describe('ids', () => {
  const list = ids({ min: 1, max: 2 })
  const [a, b, c] = [1, 2, 3].map((digit) => `0190a1b2-c3d4-7e5f-8a9b-00000000000${digit}`)
  test.each([
    [[], 'must name at least one'],
    [[a, b, c], 'must name at most 2'],
    [[a, a], 'must not name the same one twice'],
    [[a, 'x'], 'must be an id: a UUID in lower case'],
    ['x', 'must be a list of ids'],
  ])('refuses %j: %s', (value, message) => {
    expect(messages(list, value)).toEqual([message])
  })
  test('takes different ids', () => {
    expect(list.parse([a, b])).toEqual([a, b])
  })
})

test('choice names what there is to choose from', () => {
  expect(messages(choice(['exam', 'coursework']), 'Exam')).toEqual(['must be one of exam, coursework'])
})

describe('input', () => {
  const schema = input({ name: Name }).partial()
  test.each([
    [{ name: 'a', x: 1, y: 2 }, 'does not take x, y'],
    [JSON.parse('{"__proto__": {}}'), 'does not take __proto__'],
    [{ constructor: 1 }, 'does not take constructor'],
    [Object.fromEntries([...'abcdefghijkl'].map((name) => [name, 1])), 'does not take a, b, c, d, e, f, g, h, i, j and 2 more'],
    [{ ['x'.repeat(1_000)]: 1 }, `does not take ${'x'.repeat(60)}…`],
    [[], 'must be an object with named fields'],
    [null, 'must be an object with named fields'],
    ['{}', 'must be an object with named fields'],
  ])('refuses %j: %s', (value, message) => {
    expect(messages(schema, value)).toEqual([message])
  })
})
