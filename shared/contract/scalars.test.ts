import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { limits } from '../limits.ts'
import {
  Address,
  AssessmentWeight,
  Code,
  Conduct,
  Day,
  Email,
  Flag,
  Id,
  JoinMessage,
  label,
  MaxScore,
  Name,
  Percentage,
  Phone,
  Reason,
  Remark,
  Score,
  SortOrder,
  Title,
} from './scalars.ts'

const messages = (schema: z.ZodType, value: unknown): string[] =>
  (schema.safeParse(value).error?.issues ?? []).map(({ message }) => message)
const ofLength = (count: number, letter = 'a') => letter.repeat(count)

/** The values that a scalar accepts unchanged, and those that it refuses, with the message. */
function kind(
  name: string,
  schema: z.ZodType,
  { takes, refuses }: { takes: readonly unknown[]; refuses: readonly (readonly [unknown, string])[] },
) {
  describe(name, () => {
    test.each(takes.map((value) => [value]))('takes %j as it is', (value) => {
      expect(schema.parse(value)).toBe(value)
    })
    test.each(refuses)('refuses %j: %s', (value, message) => {
      expect(messages(schema, value)).toEqual([message])
    })
    test('is required', () => {
      expect(messages(schema, undefined)).toEqual(['is required'])
    })
  })
}

const id = 'must be an id: a UUID in lower case'
kind('Id', Id, {
  takes: ['0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b', '00000000-0000-0000-0000-000000000000', '9b2c3d4e-5f60-5a1b-ac2d-3e4f5a6b7c8d'],
  refuses: [
    ['', id],
    ['0190A1B2-C3D4-7E5F-8A9B-0C1D2E3F4A5B', id],
    ['0190a1b2c3d47e5f8a9b0c1d2e3f4a5b', id],
    ['{0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b}', id],
    ['0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b\n', id],
    [' 0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b', id],
    ["' or 1=1", id],
    [1, 'must be an id'],
    [null, 'must be an id'],
    [['0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'], 'must be an id'],
  ],
})

const day = 'must be a day of the calendar from 1900 to 2200, written like 2026-01-31'
kind('Day', Day, {
  takes: ['1900-01-01', '2000-02-29', '2024-02-29', '2026-12-31', '2200-12-31'],
  refuses: [
    ['2026-02-29', day],
    ['1900-02-29', day],
    ['2026-02-30', day],
    ['2026-04-31', day],
    ['2026-13-01', day],
    ['2026-00-10', day],
    ['2026-01-00', day],
    ['2026-01-32', day],
    ['1899-12-31', day],
    ['2201-01-01', day],
    ['0000-01-01', day],
    ['2026-1-1', day],
    ['31.01.2026', day],
    ['2026-01-31T00:00:00.000Z', day],
    ['2026-01-31\n', day],
    ['+2026-01-31', day],
    ['２０２６-01-31', day],
    ['', day],
    [20260131, day],
    [null, day],
  ],
})

const hidden = 'must not hold line breaks or other control characters'
const tooLong = 'must have at most 200 characters'
kind('Name', Name, {
  takes: [
    'Élan',
    ' Anna ',
    "O'Neill-Øster",
    'שרה',
    'محمد\u200f',
    'न\u200dय',
    'e\u0301',
    '李 小龍',
    'A\u0300'.repeat(100),
    ofLength(200),
    ofLength(200, '𝒜'),
    ofLength(200, '😀'),
    '<script>',
    '=1+1',
    '%_\\',
  ],
  refuses: [
    ['', 'must not be empty'],
    ['   ', 'must not be empty'],
    ['\u00a0\u3000', 'must not be empty'],
    ['\u200b\u200d\ufeff', 'must not be empty'],
    ['\n', 'must not be empty'],
    [ofLength(201), tooLong],
    [ofLength(201, '😀'), tooLong],
    [ofLength(100_000), tooLong],
    ['a\u0000b', hidden],
    ['a\tb', hidden],
    ['a\nb', hidden],
    ['a\r\nb', hidden],
    ['a\u001bb', hidden],
    ['a\u007fb', hidden],
    ['a\u0085b', hidden],
    ['a\u009fb', hidden],
    ['a\u2028b', hidden],
    ['a\u2029b', hidden],
    ['a\ud800b', hidden],
    ['a\udc00', hidden],
    ['\udc00\ud800', hidden],
    [5, 'must be text of at most 200 characters'],
    [null, 'must be text of at most 200 characters'],
    [['a'], 'must be text of at most 200 characters'],
  ],
})

const onlyLines = 'must not hold control characters other than line breaks'
kind('Remark', Remark, {
  takes: ['', ' ', 'Good.\nKeep going.', 'Good.\r\nKeep going.', '\n\n', ofLength(2_000), ofLength(2_000, '😀')],
  refuses: [
    ['a\rb', onlyLines],
    ['a\n\rb', onlyLines],
    ['a\tb', onlyLines],
    ['a\u0000', onlyLines],
    ['a\u2028b', onlyLines],
    ['a\ud83d', onlyLines],
    [ofLength(2_001), 'must have at most 2000 characters'],
    [0, 'must be text of at most 2000 characters'],
  ],
})

kind('Conduct', Conduct, {
  takes: ['', 'Polite', ofLength(500)],
  refuses: [
    ['a\nb', hidden],
    [ofLength(501), 'must have at most 500 characters'],
  ],
})
test.each([
  ['Ada\u202eadA', 'AdaadA'],
  ['A\u200bd\u00ada\ufeff', 'Ada'],
  ['An\u200dna', 'Anna'],
  ['می\u200cخواهم', 'می\u200cخواهم'],
  [`${ofLength(200)}\u200b`, ofLength(200)],
])('Name takes %j without what nobody sees', (value, kept) => {
  expect(Name.parse(value)).toBe(kept)
})
test('a remark of invisible characters is empty', () => {
  expect(Remark.parse('\u200b\u2060')).toBe('')
})

kind('Code', Code, {
  takes: ['MATH', 'A+', ofLength(20)],
  refuses: [
    ['', 'must not be empty'],
    [ofLength(21), 'must have at most 20 characters'],
  ],
})

test.each([
  ['Title', Title, limits.text.title],
  ['label', label(limits.text.studentNumber), limits.text.studentNumber],
  ['Reason', Reason, limits.text.reason],
  ['JoinMessage', JoinMessage, limits.text.joinMessage],
  ['Address', Address, limits.text.address],
  ['Phone', Phone, limits.text.phone],
] as const)('%s ends at its limit', (_name, schema, max) => {
  expect(schema.safeParse(ofLength(max)).success).toBe(true)
  expect(messages(schema, ofLength(max + 1))).toEqual([`must have at most ${max} characters`])
})

const email = 'must be an email address of at most 254 characters'
kind('Email', Email, {
  takes: [
    'ada@example.org',
    ' Ada@Example.org ',
    'ada+b@bücher.example',
    'o\u2019neill@example.org',
    `${ofLength(242)}@example.org`,
    `  ${ofLength(242)}@example.org  `,
  ],
  refuses: [
    ['', email],
    ['ada', email],
    ['@example.org', email],
    ['ada@', email],
    ['a b@example.org', email],
    ['a@b@example.org', email],
    ['ada@example.org\u0000', email],
    ['ada@example.org\r\nBcc: eve@example.org', email],
    [`${ofLength(243)}@example.org`, email],
    [{ toString: 'ada@example.org' }, email],
    [null, email],
  ],
})

const score = 'must be a number from 0 to 100000 with at most 2 decimals'
kind('Score', Score, {
  takes: [0, 0.1, 0.29, 1.15, 57.5, 64.1, 99.99, 99_999.99, 100_000],
  refuses: [
    [-0.01, score],
    [100_000.01, score],
    [0.001, score],
    [1.005, score],
    [99_999.999, score],
    [0.1 + 0.2, score],
    [1e-7, score],
    [5e-324, score],
    [1e308, score],
    [Number.NaN, score],
    [Number.POSITIVE_INFINITY, score],
    ['15', score],
    ['', score],
    [true, score],
    [null, score],
    [[15], score],
    [{}, score],
  ],
})

const maximum = 'must be a number from 0.01 to 100000 with at most 2 decimals'
kind('MaxScore', MaxScore, {
  takes: [0.01, 100, 100_000],
  refuses: [
    [0, maximum],
    [-0, maximum],
    [0.005, maximum],
    [-1, maximum],
  ],
})
const weight = 'must be a number from 0 to 1000 with at most 4 decimals'
kind('AssessmentWeight', AssessmentWeight, {
  takes: [0, 0.0001, 33.3333, 1_000],
  refuses: [
    [0.00001, weight],
    [1_000.0001, weight],
    [-1, weight],
  ],
})
const percentage = 'must be a number from 0 to 100 with at most 2 decimals'
kind('Percentage', Percentage, {
  takes: [0, 33.33, 66.67, 100],
  refuses: [
    [100.01, percentage],
    [-1, percentage],
    [33.333, percentage],
  ],
})
const order = 'must be a whole number from 0 to 100000'
kind('SortOrder', SortOrder, {
  takes: [0, 1, 100_000],
  refuses: [
    [1.5, order],
    [-1, order],
    [100_001, order],
    ['1', order],
  ],
})
kind('Flag', Flag, {
  takes: [true, false],
  refuses: [
    ['true', 'must be true or false'],
    [1, 'must be true or false'],
    [null, 'must be true or false'],
  ],
})

test('every two-decimal score is taken', () => {
  const refused = Array.from({ length: 20_001 }, (_, hundredths) => hundredths / 100).filter((value) => !Score.safeParse(value).success)
  expect(refused).toEqual([])
})

test.each([Score, AssessmentWeight, Percentage, SortOrder])('-0 becomes 0', (schema) => {
  expect(Object.is(schema.parse(-0), 0)).toBe(true)
})
